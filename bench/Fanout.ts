import * as Costs from "./Costs.ts"
import * as Crowd from "./Crowd.ts"
import * as Database from "./Database.ts"
import { residentBytes } from "./Proc.ts"
import * as Process from "./Process.ts"
import { atLeast, atMost, type Line, type Question } from "./Report.ts"
import * as Target from "./Target.ts"
import * as Writes from "./Writes.ts"
import { setTimeout as sleep } from "node:timers/promises"

const megabyte = 1024 * 1024

/** Ms after which a started node knows that it is alone. Until then it begins no message before that is stored. */
const settling = 5_000

/**
 * One POST to a list, until its last message is settled: the rate, and by how much memory grew above its level after
 * the start.
 */
const run = async (target: Target.Target, count: number, databaseUrl?: string) => {
  await Crowd.send(target, { user_id: "warm-up" })
  await Target.untilSettled(target, 1)
  await sleep(settling)
  const before = residentBytes(target.pid)
  let highest = before
  const watch = setInterval(() => highest = Math.max(highest, residentBytes(target.pid)), 100)
  const { costs, result: seconds } = await Costs.during(
    { pid: target.pid, ...(databaseUrl === undefined ? {} : { databaseUrl }) },
    async () => {
      const begin = performance.timeOrigin + performance.now()
      await Crowd.send(target, { list_id: "everyone" })
      return (await Target.untilSettled(target, count + 1) - begin) / 1_000
    }
  )
  clearInterval(watch)
  return { rate: count / seconds, grown: (highest - before) / megabyte, costs }
}

const measured = (
  what: string,
  count: number,
  { costs, grown, rate }: Awaited<ReturnType<typeof run>>
): ReadonlyArray<Line> => [
  { question: "fanout", what: `${what}, list of ${count.toLocaleString("en")}`, value: rate, unit: "/s" },
  {
    question: "fanout",
    what: `${what}, memory grown`,
    value: grown,
    unit: "MB",
    goal: atMost(grown, 150)
  },
  ...Costs.lines("fanout", `${what}, a message`, [{ costs, count }])
]

/**
 * How fast is one POST to a list delivered to all members, beside as many jobs added in bulk, and beside the database
 * writes alone?
 */
export const fanout: Question = async (quick) => {
  const sizes = quick ? [5_000] : [100_000, 1_000_000]
  const lines: Array<Line> = []
  for (const count of sizes) {
    const { bare, rate } = await Database.withDatabase(async (database) => {
      await Crowd.prepare({ database }, Crowd.list(count))
      await Database.checkpoint()
      const target = await Target.tidings({ database })
      let rate: number
      try {
        const result = await run(target, count, database.url)
        lines.push(...measured("Postgres", count, result))
        rate = result.rate
      } finally {
        await target.stop()
      }
      return { rate, bare: await Crowd.prepare({ database }, Writes.rate(count)) }
    })
    lines.push(
      {
        question: "fanout",
        what: `the same writes alone, ${count.toLocaleString("en")} messages`,
        value: bare,
        unit: "/s"
      },
      { question: "fanout", what: "ratio, Postgres to the same writes alone", value: rate / bare, unit: "×" }
    )
    const directory = Process.scratchPath("data")
    await Crowd.prepare({ directory }, Crowd.list(count))
    const embedded = await Target.tidings({ directory })
    try {
      lines.push(...measured("embedded", count, await run(embedded, count)))
    } finally {
      await embedded.stop()
    }
    const env = { BENCH_REDIS_URL: Database.redisUrl, BENCH_JOBS: String(count) }
    const peer = await Target.jobsPerSecond("BullMqBulk", env)
    lines.push(
      { question: "fanout", what: `BullMQ addBulk, ${count.toLocaleString("en")} jobs`, value: peer, unit: "/s" },
      {
        question: "fanout",
        what: "ratio, Postgres to BullMQ",
        value: rate / peer,
        unit: "×",
        goal: atLeast(rate / peer, 1)
      }
    )
  }
  return lines
}
