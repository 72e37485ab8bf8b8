import * as Directories from "#test/support/Directories.ts"
import { ready, serve } from "#test/support/MainProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Buffer } from "node:buffer"

const secret = "s".repeat(32)
const page = "https://page.example"

/** What a caller gets who says its name and key by the Basic scheme, from each place that reads them. */
const statuses = async (url: string, email: string): Promise<ReadonlyArray<number>> => {
  const authorization = `Basic ${Buffer.from(`${email}:pk_prod_${secret}`).toString("base64")}`
  const send = {
    method: "POST",
    body: JSON.stringify({ message: { to: { user_id: "somebody" }, content: { title: "Hello", body: "There" } } })
  }
  const asked: ReadonlyArray<readonly [path: string, init: RequestInit]> = [
    ["/messages", {}],
    ["/cluster", {}],
    ["/send", send]
  ]
  return Promise.all(asked.map(async ([path, init]) => {
    const headers = { authorization, "content-type": "application/json" }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    await response.body?.cancel()
    return response.status
  }))
}

describe("settings that have a default, which a wrong wiring would leave in force unseen", () => {
  it.live("reach every route of the server", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.withDatabase
      const port = yield* Effect.promise(() => Ports.free())
      const server = serve("node", port, {
        TIDINGS_DATA_DIR: directory,
        TIDINGS_DURABILITY: "process",
        TIDINGS_BOOTSTRAP_SECRET: secret,
        TIDINGS_ACCOUNT_EMAIL: "owner@example.org",
        TIDINGS_CORS_ORIGINS: page
      })
      yield* Effect.addFinalizer(() => Effect.promise(() => server.kill()))
      const url = `http://127.0.0.1:${port}`
      yield* Effect.promise(async () => {
        await ready(server, port)
        assert.deepStrictEqual(await statuses(url, "owner@example.org"), [200, 200, 202])
        assert.deepStrictEqual(await statuses(url, "ops@example.com"), [401, 401, 401])
        const { headers } = await fetch(`${url}/messages`, { method: "OPTIONS", headers: { origin: page } })
        assert.strictEqual(headers.get("access-control-allow-origin"), page)
      })
    }), 150_000)
})
