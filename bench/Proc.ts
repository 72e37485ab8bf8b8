import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))

/**
 * CPU seconds, user and system, that all threads of a process have used so far (proc(5), fields 14 and 15 of `stat`).
 */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The command name may hold spaces: count fields after its closing parenthesis, where field 3 comes first.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Resident memory of a process in bytes. */
export const residentBytes = (pid: number): number => {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  if (found === null) throw new Error(`process ${pid} has no resident memory`)
  return Number(found[1]) * 1024
}
