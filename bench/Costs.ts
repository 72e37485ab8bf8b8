import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import * as Database from "./Database.ts"
import { type Line, measured } from "./Report.ts"

/** Who works for a server, as its kernel tells them apart. */
const workers = ["its first thread", "its engine's thread", "V8's threads", "its database"] as const
type Worker = typeof workers[number]

/** Processor time that was used while something ran, in µs, and the share of all processors that were idle meanwhile. */
export interface Costs {
  /** Nothing of what is not there, or not on this machine. */
  readonly used: ReadonlyMap<Worker, number>
  readonly idle: number
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Processor time of one thread so far, in µs; 0 if it is not there (proc(5), `schedstat`). */
const micros = (pid: number, thread: string): number =>
  Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1_000

const threadsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** By the names that Node gives its threads; those of other names, which do next to nothing, count nowhere. */
const workerOf = (pid: number, thread: string): Worker | undefined => {
  if (thread === String(pid)) return "its first thread"
  const name = read(`/proc/${pid}/task/${thread}/comm`)
  if (name.startsWith("WorkerThread")) return "its engine's thread"
  return name.startsWith("V8") ? "V8's threads" : undefined
}

const sessions = (url: string): Promise<ReadonlyArray<number>> =>
  Database.withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    )
    return rows.map(({ pid }) => pid)
  })

/** The time that all processors together were idle so far, in ms. */
const idleMillis = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0)

/**
 * Runs something, and tells what it cost the server `pid` and the sessions of its database that were there before: 0
 * without a database, or if it is elsewhere.
 */
export const during = async <A>(
  server: { readonly pid: number; readonly databaseUrl?: string },
  run: () => Promise<A>
): Promise<{ readonly result: A; readonly costs: Costs }> => {
  const backends = server.databaseUrl === undefined ? [] : await sessions(server.databaseUrl)
  const used = () => {
    const by = new Map<Worker, number>()
    const add = (worker: Worker, amount: number) => by.set(worker, (by.get(worker) ?? 0) + amount)
    for (const thread of threadsOf(server.pid)) {
      const worker = workerOf(server.pid, thread)
      if (worker !== undefined) add(worker, micros(server.pid, thread))
    }
    for (const pid of backends) add("its database", micros(pid, String(pid)))
    return { by, idle: idleMillis(), at: performance.now() }
  }
  const before = used()
  const result = await run()
  const after = used()
  return {
    result,
    costs: {
      used: new Map([...after.by].map(([worker, used]) => [worker, used - (before.by.get(worker) ?? 0)])),
      idle: (after.idle - before.idle) / cpus().length / (after.at - before.at)
    }
  }
}

/** What each of `count` calls or messages cost in each run, and how much of the machine nobody used: what bounds the rate. */
export const lines = (
  question: string,
  what: string,
  runs: ReadonlyArray<{ readonly costs: Costs; readonly count: number }>
): ReadonlyArray<Line> => [
  ...workers.map((worker) =>
    measured(
      question,
      `${what}: ${worker}`,
      runs.map(({ costs, count }) => (costs.used.get(worker) ?? 0) / count),
      "µs"
    )
  ).filter(({ value }) => value >= 0.05),
  measured(question, `${what}: processors idle`, runs.map(({ costs }) => 100 * costs.idle), "%")
]
