import { key, tidings } from "#test/layers/cli/Command.ts"
import * as Directories from "#test/support/Directories.ts"
import { ready, serve } from "#test/support/MainProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const authorization = `Bearer ${key}`

const message = {
  to: { user_id: "ada" },
  content: { title: "t", body: "b" },
  routing: { method: "single", channels: ["inbox"] },
  delay: { duration: 3_600_000 }
}

const post = async (port: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/send`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ message })
  })
  return (await response.json()).requestId
}

describe("tidings end-open", () => {
  it.live("leaves nothing to send in a data directory, and what it canceled tells so", () =>
    Effect.gen(function*() {
      const TIDINGS_DATA_DIR = yield* Directories.withDatabase
      const port = yield* Effect.promise(() => Ports.free())
      const environment = {
        TIDINGS_DATA_DIR,
        TIDINGS_DURABILITY: "process",
        TIDINGS_BOOTSTRAP_SECRET: key.replace("pk_prod_", "")
      }
      const started = Effect.acquireRelease(
        Effect.sync(() => serve("node", port, environment)),
        (server) => Effect.promise(server.kill)
      ).pipe(Effect.tap((server) => Effect.promise(() => ready(server, port))))
      const first = yield* started
      const id = yield* Effect.promise(() => post(port))
      const early = yield* Effect.promise(() => tidings("node", environment, "end-open"))
      assert.deepStrictEqual([early.code, early.stdout], [1, ""])
      assert.include(early.stderr, "is in use by process")
      yield* Effect.promise(first.kill)
      const ended = yield* Effect.promise(() => tidings("node", environment, "end-open"))
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.match(ended.stdout, /^1 message canceled\n0 messages .+\n0 requests to many .+\n$/)
      yield* started
      const traced = yield* Effect.promise(() =>
        tidings("node", { TIDINGS_URL: `http://127.0.0.1:${port}`, TIDINGS_API_KEY: key }, "trace", id)
      )
      assert.match(traced.stdout, /^CANCELED .+\n(?:.+\n)*.+ CANCELED\n$/)
    }), 120_000)
})
