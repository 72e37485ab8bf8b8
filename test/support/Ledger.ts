import { existsSync, readFileSync } from "node:fs"

/** One call of the provider, as `CrashServer.ts` noted it. */
export interface Call {
  readonly id: string
  readonly attempt: number
  readonly pid: number
}

/** The calls so far, in order. */
export const read = (path: string): ReadonlyArray<Call> =>
  existsSync(path)
    ? readFileSync(path, "utf8").split("\n").filter((line) => line !== "").map((line) => {
      const [id = "", attempt, pid] = line.split(" ")
      return { id, attempt: Number(attempt), pid: Number(pid) }
    })
    : []

/** The calls by message. */
export const byMessage = (calls: ReadonlyArray<Call>): ReadonlyMap<string, ReadonlyArray<Call>> =>
  Map.groupBy(calls, (call) => call.id)
