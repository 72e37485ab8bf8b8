import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setTimeout as sleep } from "node:timers/promises"

/** A server started for one measurement. `output` is what it printed so far. */
export interface Running {
  readonly pid: number
  readonly readyMillis: number
  output(): string
  /** SIGTERM by default; resolves when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()
const scratch = mkdtempSync(join(tmpdir(), "tidings-bench-"))
let files = 0

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(scratch, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130))

/** A path in a directory that is removed when the bench ends. */
export const scratchPath = (name: string): string => join(scratch, `${++files}-${name}`)

/** The program of a peer, or of one of ours that is measured without a server. */
export const peerFile = (name: string): string => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))

/** The status and body of a GET; status 0 if there is no answer. */
export const get = (url: string): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve) => {
    const asked = request(url, { agent: false, timeout: 5000 }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => body += text)
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }))
      response.on("error", () => resolve({ status: 0, body: "" }))
    })
    asked.on("timeout", () => asked.destroy()).on("error", () => resolve({ status: 0, body: "" })).end()
  })

/** Starts `file` under this Node and waits until a GET of `readyUrl` answers 200. */
export const serve = async (options: {
  readonly file: string
  readonly readyUrl: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly nodeArguments?: ReadonlyArray<string>
}): Promise<Running> => {
  const log = scratchPath("output")
  const output = () => readFileSync(log, "utf8")
  const descriptor = openSync(log, "a")
  const begin = performance.now()
  const child = spawn(process.execPath, [...options.nodeArguments ?? [], options.file], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", descriptor, descriptor]
  })
  running.add(child)
  const gone = once(child, "exit").then(() => void running.delete(child))
  const ended = () => child.exitCode !== null || child.signalCode !== null
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (!ended()) child.kill(signal)
    await gone
  }
  while ((await get(options.readyUrl)).status !== 200) {
    if (ended() || performance.now() - begin > 60_000) {
      await stop("SIGKILL")
      throw new Error(`${options.file} did not become ready:\n${output().slice(-2000)}`)
    }
    await sleep(10)
  }
  if (child.pid === undefined) throw new Error(`${options.file} has no pid`)
  return { pid: child.pid, readyMillis: performance.now() - begin, output, stop }
}

/** Uses a process once it answers, and kills it after that. `name`: what it is, for the fault of one that does not. */
export const during = async <A>(
  name: string,
  child: ChildProcess,
  answers: () => Promise<boolean>,
  use: () => Promise<A>
): Promise<A> => {
  let fault: string | undefined
  child.once("error", (error) => fault = error.message).once("exit", (code) => fault ??= `it ended with ${code}`)
  running.add(child)
  try {
    for (let tries = 0; !await answers(); tries++) {
      if (fault !== undefined || tries === 500) throw new Error(`no ${name}: ${fault ?? "it does not answer"}`)
      await sleep(20)
    }
    return await use()
  } finally {
    running.delete(child)
    if (fault === undefined) {
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      await gone
    }
  }
}

/** Runs `file` to its end, and answers the `rate` in the JSON that it printed as its last line. */
export const rate = async (file: string, env: Readonly<Record<string, string>>): Promise<number> => {
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  running.add(child)
  let printed = ""
  let complaints = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => printed += text)
  child.stderr.setEncoding("utf8").on("data", (text: string) => complaints += text)
  const [code] = await once(child, "close")
  running.delete(child)
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${complaints.slice(-2000)}`)
  return (JSON.parse(printed.trimEnd().split("\n").at(-1) ?? "") as { readonly rate: number }).rate
}
