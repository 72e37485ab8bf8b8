import * as Ports from "#test/support/Ports.ts"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** A Postgres of one test, which it may restart as it likes. */
export interface PrivatePostgres {
  /** Of its database `postgres`. */
  readonly url: string
  readonly port: number
  /** `fast` disconnects its clients, `immediate` is a crash: it recovers at the next start. */
  readonly stop: (how: "fast" | "immediate") => Promise<void>
  /** Resolves when it answers. */
  readonly start: () => Promise<void>
  /** Stops it, and takes its data away. */
  readonly remove: () => Promise<void>
}

const versions = "/usr/lib/postgresql"

/** Where the newest installed server's programs are; `undefined` where there is none. */
export const programs = (): string | undefined => {
  try {
    const newest = readdirSync(versions).map(Number).filter(Number.isInteger).toSorted((a, b) => b - a)[0]
    return newest === undefined ? undefined : join(versions, String(newest), "bin")
  } catch {
    return undefined
  }
}

/** Postgres refuses to run as root: who runs it then, and the words that make him. */
const unprivileged = (): { readonly prefix: ReadonlyArray<string>; readonly uid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const uid = Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }))
  return { prefix: ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"], uid }
}

/** A fresh cluster in `directory` (by default one of its own below the temporary one), running. */
export const make = async (given?: string): Promise<PrivatePostgres> => {
  const bin = programs()
  if (bin === undefined) throw new Error(`no Postgres server below ${versions}`)
  const user = unprivileged()
  const prefix = user?.prefix ?? []
  const directory = given ?? mkdtempSync(join(tmpdir(), "tidings-postgres-"))
  if (user !== undefined) chownSync(directory, user.uid, user.uid)
  const data = join(directory, "data")
  const [program = "", ...before] = [...prefix, join(bin, "initdb")]
  execFileSync(program, [...before, "-D", data, "-U", "root", "-A", "trust", "--no-sync"], {
    cwd: directory,
    stdio: "ignore"
  })
  // Nobody but this machine, and the namespaces that tests make on it.
  appendFileSync(join(data, "pg_hba.conf"), "host all all 10.231.0.0/16 trust\n")
  const port = await Ports.free()
  let server: ChildProcess | undefined

  const isUp = (): boolean => {
    try {
      execFileSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" })
      return true
    } catch {
      return false
    }
  }
  const start = async () => {
    const [command = "", ...first] = [...prefix, join(bin, "postgres")]
    const settings = ["listen_addresses=*", `unix_socket_directories=${directory}`, "max_connections=200"]
    server = spawn(command, [...first, "-D", data, "-p", String(port), ...settings.flatMap((each) => ["-c", each])], {
      cwd: directory,
      stdio: "ignore"
    })
    for (let asked = 0; asked < 600 && !isUp(); asked++) await sleep(50)
  }
  const stop = async (how: "fast" | "immediate") => {
    const running = server
    server = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, "exit")
    running.kill(how === "fast" ? "SIGINT" : "SIGQUIT")
    await gone
  }
  process.once("exit", () => {
    if (server === undefined) return
    // A run that is cut short leaves nothing behind: its server writes until it is gone.
    const [command = "", ...first] = [...prefix, join(bin, "pg_ctl")]
    spawnSync(command, [...first, "stop", "-D", data, "-m", "immediate"], { cwd: directory, stdio: "ignore" })
    if (given === undefined) rmSync(directory, { recursive: true, force: true })
  })
  await start()
  return {
    url: `postgres://root@127.0.0.1:${port}/postgres`,
    port,
    start,
    stop,
    remove: async () => {
      await stop("immediate")
      if (given === undefined) rmSync(directory, { recursive: true, force: true })
    }
  }
}
