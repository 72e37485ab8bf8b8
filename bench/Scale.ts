import { availableParallelism } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import { cpuSeconds } from "./Proc.ts"
import type { Line, Question } from "./Report.ts"
import * as Target from "./Target.ts"

const workers = [1, 2, 3]

const providers = {
  slow: { label: "a provider that takes 50 ms", floor: (recipients: number) => recipients / 0.05 },
  costly: { label: "a provider that costs 2 ms of CPU", floor: () => Infinity }
} as const

const sentOf = (database: Database.Database) => database.count("select count(*) from messages where status = 'SENT'")

/** Messages per second from the first POST to the last SENT, and what limited the rate. */
const measure = async (provider: keyof typeof providers, count: number, requests: number): Promise<Line> =>
  Database.withDatabase(async (database) => {
    const target = await Target.tidings({ database }, [], {
      BENCH_PROVIDER: provider,
      TIDINGS_WORKERS: String(count)
    })
    try {
      const { apiKey, url } = target
      const recipients = 500
      await Load.run({ url, apiKey, clients: 32, requests: recipients, recipients })
      while (await sentOf(database) < recipients) await sleep(50)
      const before = cpuSeconds(target.pid)
      const load = Target.sound("Tidings", await Load.run({ url, apiKey, clients: 64, requests, recipients }))
      while (await sentOf(database) < recipients + requests) await sleep(50)
      const seconds = (performance.timeOrigin + performance.now() - load.startedAt) / 1_000
      const cores = (cpuSeconds(target.pid) - before) / seconds
      const rate = requests / seconds
      const { floor, label } = providers[provider]
      const bound = rate > 0.7 * floor(recipients)
        ? `the provider: ${recipients} recipients, one call of each at a time`
        : cores > 0.85 * (count + 1)
        ? "its own threads, all busy"
        : `the machine's ${availableParallelism()} cores, shared with Postgres and the load`
      return {
        question: "scale",
        what: `${label}, ${count} worker${count === 1 ? "" : "s"}`,
        value: rate,
        unit: "/s",
        note: `${cores.toFixed(2)} cores in the server; bound by ${bound}`
      }
    } finally {
      await target.stop()
    }
  })

/** What do engine workers add, when the provider is slow and when it costs CPU? */
export const scale: Question = async (quick) => {
  const lines: Array<Line> = []
  for (const provider of ["slow", "costly"] as const) {
    for (const count of workers) lines.push(await measure(provider, count, quick ? 500 : 10_000))
  }
  return lines
}
