import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { compiled, runtimes } from "./MainProcess.ts"
import type { Place } from "./Places.ts"

const file = fileURLToPath(new URL("CrashServer.ts", import.meta.url))
const secret = "crashcrashcrashcrashcrashcrashcrashcrash"
/** An embedded start on a busy machine takes a minute. */
const longestStart = 120_000

const alive = new Set<ChildProcess>()

process.once("exit", () => alive.forEach((child) => child.kill("SIGKILL")))

export const apiKey = `pk_prod_${secret}`

/** How a process ended: its exit code, or the signal that ended it, and what it had said. */
export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

/** A server process. It has a process group of its own. */
export interface CrashProcess {
  readonly pid: number
  /** Ms from the spawn to the first `ready`. */
  readonly ready: () => Promise<number>
  /** To the whole group. */
  readonly signal: (signal: NodeJS.Signals) => void
  readonly ended: Promise<End>
  /** kill -9, and its end. */
  readonly kill: () => Promise<void>
}

const statusOf = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const asked = request(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0)).on("error", () => resolve(0))
    })
    asked.on("timeout", () => asked.destroy()).on("error", () => resolve(0)).end()
  })

/** The variables under which a server of this place starts; the same ones start it again. */
const environment = (place: Place): Record<string, string> => ({
  PORT: String(place.port),
  ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
  TIDINGS_DATA_DIR: place.directory,
  TIDINGS_BOOTSTRAP_SECRET: secret,
  TIDINGS_SECRET_KEY: Buffer.alloc(32, "crash").toString("base64"),
  TIDINGS_CLUSTER_PORT: String(place.clusterPort),
  CRASH_LEDGER: place.ledger
})

/** Starts a server process; `more` is added to its environment. */
export const start = (place: Place, more: Readonly<Record<string, string>> = {}): CrashProcess => {
  const directory = mkdtempSync(join(tmpdir(), "tidings-output-"))
  const log = join(directory, "log")
  const descriptor = openSync(log, "a")
  const { DATABASE_URL: _, ...inherited } = process.env
  const began = performance.now()
  const [command = "", ...first] = [...place.prefix ?? [], ...runtimes[place.runtime ?? "node"]]
  const child = spawn(command, [...first, file], {
    detached: true,
    env: { ...inherited, ...compiled, ...environment(place), ...more },
    stdio: ["ignore", descriptor, descriptor]
  })
  alive.add(child)
  const pid = child.pid ?? 0
  const ended = once(child, "exit").then((): End => {
    alive.delete(child)
    const output = readFileSync(log, "utf8")
    rmSync(directory, { recursive: true, force: true })
    return { code: child.exitCode, signal: child.signalCode, output }
  })
  const running = () => child.exitCode === null && child.signalCode === null
  const signal = (name: NodeJS.Signals) => {
    if (running()) process.kill(-pid, name)
  }
  return {
    pid,
    ended,
    signal,
    kill: async () => {
      signal("SIGKILL")
      await ended
    },
    ready: async () => {
      while (await statusOf(`http://127.0.0.1:${place.port}/health/ready`) !== 200) {
        if (!running())
          throw new Error(`the server ended instead of becoming ready:\n${(await ended).output.slice(-3_000)}`)
        if (performance.now() - began > longestStart) {
          throw new Error(`the server is not ready after two minutes:\n${readFileSync(log, "utf8").slice(-3_000)}`)
        }
        await sleep(20)
      }
      return performance.now() - began
    }
  }
}
