import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Crowd from "./Crowd.ts"
import * as Database from "./Database.ts"
import { atMost, type Line, type Question } from "./Report.ts"
import * as Target from "./Target.ts"

/** The wait until the first attempt; of those that had none yet, until now. */
const quantile = (q: number) =>
  `select percentile_cont(${q}) within group (order by
     coalesce(a.started_at, (extract(epoch from now()) * 1000)::bigint) - m.enqueued_at)
   from messages m left join attempts a on a.scope = m.scope and a.message_id = m.id and a.number = 1
   where m.lane = 'transactional'`

/**
 * How soon does a single send start while a fan-out runs through a provider that takes 50 ms? Measured from acceptance
 * to the first attempt.
 */
export const lanes: Question = (quick) =>
  Database.withDatabase(async (database) => {
    const count = quick ? 20_000 : 1_000_000
    const seconds = quick ? 5 : 60
    await Crowd.prepare({ database }, Crowd.list(count))
    const target = await Target.tidings({ database }, [], {}, fileURLToPath(new URL("SlowServer.ts", import.meta.url)))
    try {
      await Crowd.send(target, { user_id: "warm-up" })
      await Target.untilSettled(target, 1)
      await Crowd.send(target, { list_id: "everyone" })
      await sleep(1_000)
      const sends: Array<Promise<string>> = []
      for (const begin = performance.now(); performance.now() - begin < seconds * 1_000; await sleep(50)) {
        sends.push(Crowd.send(target, { user_id: `single-${sends.length}` }))
      }
      await Promise.all(sends)
      const bulk = await target.settled()
      await sleep(2_000)
      const open = await database.count(
        "select count(*) from messages where lane = 'transactional' and due_at is not null"
      )
      const [p50, p99] = [await database.count(quantile(0.5)), await database.count(quantile(0.99))]
      const running = bulk < count
      const line = (what: string, value: number): Line => ({
        question: "lanes",
        what: `start of single sends, ${what}`,
        value,
        unit: "ms",
        note: `${sends.length} of them, ${open} not done; the fan-out ${running ? "was running" : "WAS OVER"}`
      })
      return [
        line("p50", p50),
        { ...line("p99", p99), goal: atMost(p99, 1_000) },
        { question: "lanes", what: "fan-out meanwhile", value: bulk / (seconds + 1), unit: "/s" }
      ]
    } finally {
      await target.stop("SIGKILL")
    }
  })
