import * as ExitCode from "#layers/ExitCode.ts"
import { ready, type Running, serve } from "#test/support/MainProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import * as Directories from "#test/support/Directories.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** A server on a data directory of its own; those that are left are killed, and the directory goes with them. */
const inDirectory = Effect.fnUntraced(function*(
  use: (
    start: (environment: Readonly<Record<string, string>>, stdout?: "pipe" | "ignore") => Running,
    port: number
  ) => Promise<void>,
  runtime: "node" | "deno"
) {
  const directory = yield* Directories.withDatabase
  const port = yield* Effect.promise(() => Ports.free())
  const started: Array<Running> = []
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(started.map((server) => server.kill()))))
  const start = (environment: Readonly<Record<string, string>>, stdout?: "pipe" | "ignore") => {
    const server = serve(
      runtime,
      port,
      { TIDINGS_DATA_DIR: directory, TIDINGS_DURABILITY: "process", ...environment },
      stdout
    )
    started.push(server)
    return server
  }
  yield* Effect.promise(() => use(start, port))
})

describe("a server whose log's reader is gone", () => {
  for (const runtime of ["node", "deno"] as const) {
    it.live(`serves on, and stops as it is told to, on ${runtime}`, () =>
      inDirectory(async (start, port) => {
        // A misspelt setting is a line of the log before anything else.
        const server = start({ TIDINGS_BOOTSTRAP_SECRET: "x".repeat(32), TIDINGS_MISSPELT: "1" })
        server.child.stdout?.destroy()
        await ready(server, port)
        server.signal("SIGTERM")
        assert.strictEqual((await server.ended).code, 0, server.stderr())
        assert.notInclude(server.stderr(), "    at ")
      }, runtime), 150_000)

    it.live(`drains when its terminal is closed, on ${runtime}`, () =>
      inDirectory(async (start, port) => {
        const server = start({ TIDINGS_BOOTSTRAP_SECRET: "x".repeat(32) })
        await ready(server, port)
        server.child.stdout?.destroy()
        server.signal("SIGHUP")
        const { code, signal } = await server.ended
        assert.deepStrictEqual([code, signal], [0, null], server.stderr())
      }, runtime), 150_000)

    it.live(
      `makes no keys that nobody sees: the next start shows its own, on ${runtime}`,
      () =>
        inDirectory(async (start, port) => {
          for (const stdout of ["pipe", "ignore"] as const) {
            const blind = start({}, stdout)
            blind.child.stdout?.destroy()
            assert.strictEqual((await blind.ended).code, ExitCode.configuration, blind.stderr())
            assert.match(
              blind.stderr(),
              /^the API keys could not be shown, .*; start once where it is read, or choose/m
            )
          }
          const server = start({})
          await ready(server, port)
          const [key = ""] = /pk_prod_[\w-]{32,}/.exec(server.stdout()) ?? []
          const answer = await fetch(`http://127.0.0.1:${port}/messages`, {
            headers: { authorization: `Bearer ${key}` }
          })
          assert.strictEqual(answer.status, 200)
        }, runtime),
      150_000
    )
  }
})
