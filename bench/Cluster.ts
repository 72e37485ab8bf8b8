import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import { rounds } from "./Ratio.ts"
import { measured, type Question, ratio } from "./Report.ts"
import * as Target from "./Target.ts"

const clients = 60
const dayMillis = 86_400_000

/** Nodes of one database, and how many messages it has that were sent. */
interface Cluster {
  readonly nodes: ReadonlyArray<Target.Target>
  readonly sent: () => Promise<number>
}

const start = async (database: Database.Database, count: number): Promise<Cluster> => {
  const nodes: Array<Target.Target> = []
  // One after the other: the first makes the tables, and the others find it.
  while (nodes.length < count) nodes.push(await Target.tidings({ database }))
  return { nodes, sent: () => database.count("select count(*) from messages where status = 'SENT'") }
}

/** The same number of callers, who are spread over the nodes as a balancer would. */
const load = async ({ nodes }: Cluster, options: Pick<Load.Options, "delay" | "requests" | "seconds">) => {
  await Database.checkpoint()
  const { requests, ...rest } = options
  return Promise.all(nodes.map(async ({ apiKey, url }, n) =>
    Target.sound(
      `node ${n + 1}`,
      await Load.run({
        ...rest,
        ...(requests === undefined ? {} : { requests: requests / nodes.length }),
        url,
        apiKey,
        clients: clients / nodes.length,
        recipients: 5000
      })
    )
  ))
}

const accepts = (cluster: Cluster, seconds: number) => async () =>
  (await load(cluster, { seconds, delay: dayMillis })).reduce((sum, { rate }) => sum + rate, 0)

const delivers = (cluster: Cluster, requests: number) => async () => {
  const before = await cluster.sent()
  const results = await load(cluster, { requests })
  const [first] = cluster.nodes
  if (first === undefined) throw new Error("a cluster has a node")
  const ended = await Target.untilSettled({ ...first, settled: cluster.sent }, before + requests)
  return requests / ((ended - Math.min(...results.map(({ startedAt }) => startedAt))) / 1_000)
}

/**
 * What does a node more cost? All nodes, their database and the callers share this machine, so that it has nothing to
 * work with: what is left of one node's rate is what their agreement leaves.
 */
export const cluster: Question = (quick) =>
  Database.withDatabase((of1) =>
    Database.withDatabase((of2) =>
      Database.withDatabase(async (of3) => {
        const started: Array<Cluster> = []
        try {
          for (const [n, database] of [of1, of2, of3].entries()) started.push(await start(database, n + 1))
          const [one, two, three] = started
          if (one === undefined || two === undefined || three === undefined) throw new Error("there are three clusters")
          const ask = (seconds: number, requests: number) => ({
            accept1: accepts(one, seconds),
            accept2: accepts(two, seconds),
            accept3: accepts(three, seconds),
            deliver1: delivers(one, requests),
            deliver2: delivers(two, requests),
            deliver3: delivers(three, requests)
          })
          await rounds(1, ask(quick ? 1 : 3, quick ? 1_200 : 6_000))
          const rates = await rounds(quick ? 1 : 5, ask(quick ? 1 : 4, quick ? 1_200 : 12_000))
          return [
            measured("cluster", "POST /send, one node", rates.accept1),
            measured("cluster", "POST /send, two nodes", rates.accept2),
            measured("cluster", "POST /send, three nodes", rates.accept3),
            measured("cluster", "accept to SENT, one node", rates.deliver1),
            measured("cluster", "accept to SENT, two nodes", rates.deliver2),
            measured("cluster", "accept to SENT, three nodes", rates.deliver3),
            ratio("cluster", "POST /send, two nodes to one", rates.accept2, rates.accept1),
            ratio("cluster", "POST /send, three nodes to one", rates.accept3, rates.accept1),
            ratio("cluster", "accept to SENT, two nodes to one", rates.deliver2, rates.deliver1),
            ratio("cluster", "accept to SENT, three nodes to one", rates.deliver3, rates.deliver1)
          ]
        } finally {
          await Promise.all(started.flatMap(({ nodes }) => nodes.map((node) => node.stop())))
        }
      })
    )
  )
