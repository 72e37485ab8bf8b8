import * as Costs from "./Costs.ts"
import * as Database from "./Database.ts"
import { rounds } from "./Ratio.ts"
import { measured, type Question, ratio } from "./Report.ts"
import * as Target from "./Target.ts"

const labels = {
  tidings: "Tidings, accept to SENT",
  bullMqEndpoint: "BullMQ behind the endpoint",
  pgBoss: "pg-boss, no HTTP",
  pgBossEndpoint: "pg-boss behind the endpoint",
  graphileWorker: "graphile-worker, no HTTP",
  bullMqPlain: "BullMQ, no HTTP"
}

type Peer = Exclude<keyof typeof labels, "tidings">

/** The least ratio of our rate to a peer's. Ratios to the peers that are not named here are shown without a goal. */
const goals: Partial<Record<Peer, number>> = { bullMqEndpoint: 1, pgBoss: 3, graphileWorker: 3 }

/** How fast does a message go from its POST to SENT, beside queues that store one job per message? */
export const deliver: Question = (quick) =>
  Database.withDatabase((database) =>
    Database.withDatabase(async (pgBossDatabase) => {
      const env = { BENCH_REDIS_URL: Database.redisUrl, BENCH_JOBS: String(quick ? 1000 : 10_000) }
      const requests = quick ? 2000 : 20_000
      const [ours, bullMq, pgBoss] = await Promise.all([
        Target.tidings({ database }),
        Target.endpoint("BullMqEndpoint", env),
        Target.endpoint("PgBossEndpoint", { DATABASE_URL: pgBossDatabase.url })
      ])
      const job = (name: Parameters<typeof Target.jobsPerSecond>[0]) => async () => {
        await Database.checkpoint()
        return Database.withDatabase((own) => Target.jobsPerSecond(name, { ...env, DATABASE_URL: own.url }))
      }
      const costs: Array<{ readonly costs: Costs.Costs; readonly count: number }> = []
      const tidings = async () => {
        const of = { pid: ours.pid, databaseUrl: database.url }
        const run = await Costs.during(of, () => Target.sendsPerSecond("Tidings", ours, requests))
        costs.push({ costs: run.costs, count: requests })
        return run.result
      }
      const http = (name: string, target: Target.Target) => () => Target.sendsPerSecond(name, target, requests)
      const viaHttp = {
        tidings,
        bullMqEndpoint: http("BullMQ endpoint", bullMq),
        pgBossEndpoint: http("pg-boss endpoint", pgBoss)
      }
      try {
        await rounds(1, viaHttp)
        costs.length = 0
        const rates = await rounds(quick ? 1 : 5, {
          ...viaHttp,
          pgBoss: job("PgBossPlain"),
          graphileWorker: job("GraphileWorker"),
          bullMqPlain: job("BullMqPlain")
        })
        const names = Object.keys(labels) as Array<keyof typeof labels>
        return [
          ...names.map((name) => measured("deliver", labels[name], rates[name])),
          ...names.filter((name) => name !== "tidings").map((name) =>
            ratio("deliver", `ratio to ${labels[name]}`, rates.tidings, rates[name], goals[name])
          ),
          ...Costs.lines("deliver", "a message of Tidings", costs)
        ]
      } finally {
        await Promise.all([ours.stop(), bullMq.stop(), pgBoss.stop()])
      }
    })
  )
