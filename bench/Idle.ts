import { setTimeout as sleep } from "node:timers/promises"
import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import { cpuSeconds } from "./Proc.ts"
import type { Question } from "./Report.ts"
import * as Target from "./Target.ts"

/** What does a server with nothing to do cost? It has delivered before, so its pools, shards and actors exist. */
export const idle: Question = (quick) =>
  Database.withDatabase(async (database) => {
    const target = await Target.tidings({ database })
    try {
      const { apiKey, url } = target
      const before = await target.settled()
      Target.sound("Tidings", await Load.run({ url, apiKey, clients: 8, requests: 1000, recipients: 100 }))
      await Target.untilSettled(target, before + 1000)
      await sleep(quick ? 1000 : 5000)
      const transactions = () =>
        database.count("select xact_commit + xact_rollback from pg_stat_database where datname = current_database()")
      const transactionsBefore = await transactions()
      const begin = performance.now()
      const cpuBefore = cpuSeconds(target.pid)
      await sleep(quick ? 3000 : 10_000)
      const seconds = (performance.now() - begin) / 1000
      const percent = (cpuSeconds(target.pid) - cpuBefore) / seconds * 100
      const perSecond = (await transactions() - transactionsBefore) / seconds
      return [{
        question: "idle",
        what: `CPU over ${Math.round(seconds)} s, empty queue`,
        value: percent,
        unit: "%",
        goal: { text: "< 1", holds: percent < 1 },
        note: `${perSecond.toFixed(1)} database transactions/s meanwhile, this look included`
      }]
    } finally {
      await target.stop()
    }
  })
