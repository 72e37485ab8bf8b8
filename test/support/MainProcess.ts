import { resolving } from "#layers/cli/resolve.mjs"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const alive = new Set<ChildProcess>()

process.once("exit", () => alive.forEach((child) => child.kill("SIGKILL")))

/** How to run a source file of ours, from the repository. */
export const runtimes = {
  node: [process.execPath, "--no-warnings", ...resolving],
  deno: ["Deno" in globalThis ? process.execPath : `${root}node_modules/.bin/deno`, "run", "-A", "--no-lock"]
} as const

/** Where processes under test keep what Node compiled, as `npm start` does: a third of a start. */
export const compiled = { NODE_COMPILE_CACHE: `${root}node_modules/.cache/node` }

/** How a process ended: its exit code, or the signal that ended it. */
export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process of ours, which is killed with the one that started it. */
export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<End>
  readonly signal: (signal: NodeJS.Signals) => void
  /** kill -9, and its end. */
  readonly kill: () => Promise<End>
}

/** Variables of the tests' own environment that would change what a process of ours does. */
const own = /^(PORT$|DATABASE_URL$|REDIS_URL$|SMTP_URL$|TWILIO_|TIDINGS_|OTEL_|HTTPS?_PROXY$|NO_PROXY$)/i

/**
 * Runs a file of the repository with these variables and no others of ours. Without `stdout` it writes to the null
 * device, which is also what the runtimes open in place of a standard output that is closed.
 */
export const run = (
  runtime: keyof typeof runtimes,
  file: string,
  environment: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = [],
  stdout: "pipe" | "ignore" = "pipe"
): Running => {
  const [command, ...first] = runtimes[runtime]
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
  const child = spawn(command, [...first, file, ...args], {
    cwd: root,
    env: { ...inherited, ...compiled, NO_COLOR: "1", ...environment },
    stdio: ["ignore", stdout, "pipe"]
  })
  alive.add(child)
  const said = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (text) => said.stdout += text)
  child.stderr?.setEncoding("utf8").on("data", (text) => said.stderr += text)
  const signal = (name: NodeJS.Signals): void => {
    // Not `child.kill`, after which Deno takes the signal for the way the process ended, whatever it did.
    if (alive.has(child) && child.pid !== undefined) process.kill(child.pid, name)
  }
  child.once("exit", () => alive.delete(child))
  const ended = once(child, "close").then(() => ({ code: child.exitCode, signal: child.signalCode }))
  return {
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended,
    signal,
    kill: () => {
      signal("SIGKILL")
      return ended
    }
  }
}

/** The server, which listens on this port. */
export const serve = (
  runtime: keyof typeof runtimes,
  port: number,
  environment: Readonly<Record<string, string>>,
  stdout: "pipe" | "ignore" = "pipe"
): Running => run(runtime, "layers/main.ts", { ...environment, PORT: String(port) }, [], stdout)

/** Ms until this server answers that it is ready; it has two minutes, since a first embedded start on a busy machine takes one. */
export const ready = async (server: Running, port: number): Promise<number> => {
  const began = performance.now()
  while (alive.has(server.child) && performance.now() - began < 120_000) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
    await response?.text()
    if (response?.status === 200) return performance.now() - began
    await sleep(50)
  }
  throw new Error(`the server is not ready:\n${server.stdout().slice(-2_000)}${server.stderr().slice(-2_000)}`)
}
