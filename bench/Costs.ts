import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import * as Database from "./Database.ts"

/** Processor time that was used while something ran, in µs, and the share of all processors that were idle meanwhile. */
export interface Costs {
  /** The server's first thread, on which HTTP is served. */
  readonly firstThread: number
  /** The sessions of the database that were there before and after. 0 without a database, or if it is elsewhere. */
  readonly database: number
  readonly idle: number
}

/** Processor time of one thread so far, in µs; 0 if it is not on this machine (proc(5), `schedstat`). */
const micros = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000
  } catch {
    return 0
  }
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

/** Runs something, and tells what it cost the server `pid` and its database. */
export const during = async <A>(
  server: { readonly pid: number; readonly databaseUrl?: string },
  run: () => Promise<A>
): Promise<{ readonly result: A; readonly costs: Costs }> => {
  const backends = server.databaseUrl === undefined ? [] : await sessions(server.databaseUrl)
  const used = () => ({
    firstThread: micros(server.pid),
    database: backends.reduce((sum, pid) => sum + micros(pid), 0),
    idle: idleMillis(),
    at: performance.now()
  })
  const before = used()
  const result = await run()
  const after = used()
  return {
    result,
    costs: {
      firstThread: after.firstThread - before.firstThread,
      database: after.database - before.database,
      idle: (after.idle - before.idle) / cpus().length / (after.at - before.at)
    }
  }
}
