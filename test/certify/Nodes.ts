import * as Ports from "#test/support/Ports.ts"
import { Cluster } from "#schemas/api/Cluster.ts"
import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import type { Place } from "#test/support/Places.ts"
import { Schema } from "effect"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** A node of a fleet: a place beside the others, on the same database and with the same provider. */
export interface Node {
  readonly place: Place
  readonly address: string
  readonly caller: Caller.Caller
  /** The process that runs there now. */
  process: CrashProcess.CrashProcess
}

/** Calls of the provider long enough that what happens finds some in flight, in ms. */
const provider = { CRASH_PROVIDER_MILLIS: "60" }

const decode = Schema.decodeUnknownSync(Cluster)

export const launch = (place: Place): CrashProcess.CrashProcess => CrashProcess.start(place, provider)

/** Starts so many nodes on the database of a place; all are ready when it resolves. */
export const start = async (place: Place, count: number): Promise<ReadonlyArray<Node>> => {
  const nodes: Array<Node> = []
  for (let n = 0; n < count; n++) {
    const directory = join(place.directory, `node-${n}`)
    await mkdir(directory, { recursive: true })
    const own = {
      ...place,
      directory,
      port: await Ports.free(),
      clusterPort: await Ports.free()
    }
    nodes.push({
      place: own,
      address: `127.0.0.1:${own.clusterPort}`,
      caller: Caller.make(own.port),
      process: launch(own)
    })
    // The first one migrates.
    if (n === 0) await nodes[0]?.process.ready()
  }
  await Promise.all(nodes.map((node) => node.process.ready()))
  return nodes
}

/** Who owns what, as this node sees it; `undefined` when it does not answer. */
export const look = async (node: Node | undefined): Promise<Cluster | undefined> => {
  const answer = await node?.caller.call("GET", "/cluster")
  return answer?.status === 200 ? decode(JSON.parse(answer.body)) : undefined
}

/** Ms until this node sees a cluster in which `holds`; fails after a minute. */
export const until = async (node: Node | undefined, holds: (cluster: Cluster) => boolean): Promise<number> => {
  const began = performance.now()
  while (performance.now() - began < 60_000) {
    const seen = await look(node)
    if (seen !== undefined && holds(seen)) return performance.now() - began
    await sleep(50)
  }
  throw new Error(`the cluster does not become what was awaited: ${JSON.stringify(await look(node)).slice(0, 2_000)}`)
}

/** How many shards a node owns. */
export const owned = (cluster: Cluster, { address }: Node): number =>
  cluster.nodes.find((node) => node.address === address)?.shards.length ?? 0

/** Everything has its owner, and none of them is `dead`. */
export const servedWithout = (dead: Node) => (cluster: Cluster): boolean =>
  owned(cluster, dead) === 0 && cluster.nodes.flatMap(({ shards }) => shards).length === cluster.shards

export const stop = async (nodes: ReadonlyArray<Node>): Promise<void> => {
  for (const node of nodes) node.process.signal("SIGTERM")
  await Promise.all(nodes.map((node) => node.process.ended))
  for (const node of nodes) node.caller.close()
}
