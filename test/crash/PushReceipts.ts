import * as MainProcess from "#test/support/MainProcess.ts"
import * as Places from "#test/support/Places.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout as sleep } from "node:timers/promises"

const secret = "receiptsreceiptsreceiptsreceipts"
const dead = "ExponentPushToken[dead]"
const alive = "ExponentPushToken[alive]"

/** Expo, which takes every push, and learns later that a device is gone. */
const expo = ScriptedVendor.listen({
  script: ({ body, path }) => {
    if (body === "") return { status: 200 }
    const asked: { readonly to?: string; readonly ids?: ReadonlyArray<string> } = JSON.parse(body)
    const data = path.endsWith("/getReceipts")
      ? Object.fromEntries((asked.ids ?? []).map((id) => [
        id,
        id === "ticket-dead"
          ? { status: "error", message: `${dead} is not registered`, details: { error: "DeviceNotRegistered" } }
          : { status: "ok" }
      ]))
      : { status: "ok", id: asked.to === dead ? "ticket-dead" : "ticket-alive" }
    return { status: 200, body: JSON.stringify({ data }) }
  }
})

const until = async <A>(what: string, ask: () => Promise<A | undefined>): Promise<A> => {
  for (const began = performance.now(); performance.now() - began < 60_000; await sleep(100)) {
    const found = await ask()
    if (found !== undefined) return found
  }
  return assert.fail(`not within a minute: ${what}`)
}

/** A push whose server dies before its receipt is read. */
export const suite = (storage: Places.Storage) =>
  describe(`push receipts: ${storage}`, () => {
    it.live.each(storage === "Postgres" ? ["0", "1"] : ["0"])(
      "P1: a kill -9 between the push and its receipt loses neither; workers: %s",
      (workers) =>
        Effect.gen(function*() {
          const place = yield* Places.make(storage)
          const { origin, seen } = yield* expo
          const environment = {
            ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
            TIDINGS_DATA_DIR: place.directory,
            TIDINGS_BOOTSTRAP_SECRET: secret,
            TIDINGS_CLUSTER_PORT: String(place.clusterPort),
            TIDINGS_OUTBOUND_ALLOW: "127.0.0.0/8",
            TIDINGS_WORKERS: workers
          }
          const call = async (method: string, path: string, body?: object) => {
            const response = await fetch(`http://127.0.0.1:${place.port}${path}`, {
              method,
              headers: { authorization: `Bearer pk_prod_${secret}`, "content-type": "application/json" },
              ...(body === undefined ? {} : { body: JSON.stringify(body) })
            })
            const text = await response.text()
            assert.isBelow(response.status, 300, `${method} ${path}: ${text}`)
            return text === "" ? {} : JSON.parse(text)
          }
          const statusIs = (id: string, expected: string) =>
            until(`${id} is ${expected}`, async () => {
              const message = await call("GET", `/messages/${id}`)
              return message.status === expected ? message : undefined
            })
          const push = async (user: string, token: string) => {
            await call("PUT", `/users/${user}/tokens/${encodeURIComponent(token)}`, { provider_key: "expo" })
            const message = { to: { user_id: user }, content: { title: "Hello", body: "Hi" } }
            const { requestId } = await call("POST", "/send", {
              message: { ...message, routing: { method: "single", channels: ["push"] } }
            })
            await statusIs(requestId, "SENT")
            return requestId
          }
          const [lost, reached] = yield* Effect.promise(async () => {
            const server = MainProcess.serve("node", place.port, environment)
            await MainProcess.ready(server, place.port)
            await call("POST", "/providers", { provider: "expo", settings: { base_url: origin } })
            const sent = [await push("ada", dead), await push("bob", alive)]
            await server.kill()
            return sent
          })
          const asked = () => seen.filter(({ path }) => path.endsWith("/getReceipts"))
          assert.deepStrictEqual(asked(), [])
          // A quarter of an hour later.
          yield* SqlClient.SqlClient.use((sql) => sql`update push_tickets set due_at = 0`).pipe(
            Effect.provide(place.store)
          )
          yield* Effect.promise(async () => {
            const server = MainProcess.serve("node", place.port, environment)
            await MainProcess.ready(server, place.port)
            const bounced = await statusIs(lost, "UNDELIVERABLE")
            assert.deepInclude(bounced, { reason: "BOUNCED" })
            assert.notInclude(JSON.stringify(bounced), dead)
            assert.strictEqual((await call("GET", `/messages/${reached}`)).status, "SENT")
            const tokenOf = (user: string, token: string) =>
              call("GET", `/users/${user}/tokens/${encodeURIComponent(token)}`)
            assert.strictEqual((await tokenOf("ada", dead)).status, "failed")
            assert.strictEqual((await tokenOf("bob", alive)).status, "active")
            server.signal("SIGTERM")
            assert.strictEqual((await server.ended).code, 0)
          })
          assert.lengthOf(asked(), 1)
          const left = yield* SqlClient.SqlClient.use((sql) => sql`select * from push_tickets`).pipe(
            Effect.provide(place.store)
          )
          assert.deepStrictEqual(left, [])
        }).pipe(Effect.scoped),
      180_000
    )
  })
