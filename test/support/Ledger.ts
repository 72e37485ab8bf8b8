import { existsSync, readFileSync } from "node:fs"

/** One call of the provider, as `CrashServer.ts` noted it. */
export interface Call {
  readonly id: string
  readonly attempt: number
  /** The process; the thread of a worker stands behind the point. */
  readonly pid: number
  /** Epoch ms of this machine. */
  readonly at: number
  readonly to: string
}

/** The calls so far, in order. */
export const read = (path: string): ReadonlyArray<Call> =>
  existsSync(path)
    ? readFileSync(path, "utf8").split("\n").filter((line) => line !== "").map((line) => {
      const [id = "", attempt, pid, at, to = ""] = line.split(" ")
      return { id, attempt: Number(attempt), pid: Number(pid), at: Number(at), to }
    })
    : []

/** The calls that came to their end, and when they did. */
export const ended = (path: string): ReadonlyArray<Call> => read(`${path}.ends`)

/** The calls by message. */
export const byMessage = (calls: ReadonlyArray<Call>): ReadonlyMap<string, ReadonlyArray<Call>> =>
  Map.groupBy(calls, (call) => call.id)
