import { Deferred, Effect, Queue, type Scope } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const commands = {
  node: [process.execPath, "--no-warnings"],
  deno: [file("../../../../node_modules/.bin/deno"), "run", "-A", "--no-lock"]
} as const

/** A running `Child.ts`; killed when the scope closes. */
export interface Process {
  readonly pid: number
  readonly line: Effect.Effect<string>
  /** kill -9, and its end. */
  readonly kill: Effect.Effect<void>
}

export const run = (
  runtime: keyof typeof commands,
  mode: string,
  directory: string,
  durability: "disk" | "process" = "disk",
  prefix: ReadonlyArray<string> = []
): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [command = "", ...first] = [...prefix, ...commands[runtime]]
    const lines = yield* Queue.bounded<string>(100)
    const ended = yield* Deferred.make<void>()
    const process = yield* Effect.sync(() => {
      const child = spawn(command, [...first, file("Child.ts"), mode, directory, durability], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      createInterface(child.stdout).on("line", (line) => Queue.offerUnsafe(lines, line))
      child.once("close", () => Deferred.doneUnsafe(ended, Effect.void))
      return child
    })
    const kill = Effect.andThen(Effect.sync(() => process.kill("SIGKILL")), Deferred.await(ended))
    yield* Effect.addFinalizer(() => kill)
    return { pid: process.pid ?? 0, line: Queue.take(lines), kill }
  })
