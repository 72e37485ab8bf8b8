import type { Slots } from "#src/delivery/attempts/Slots.ts"
import { configure, delivery, outcomeOf, type Row, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import { vendor as smtp } from "#test/layers/providers/smtp/Deliveries.ts"
import { assert, describe, it } from "@effect/vitest"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { Deferred, Effect, Fiber } from "effect"

const vendorOf = (row: Row) => configure(row, settingsAt(row, "http://127.0.0.1:1")).pipe(withHttp(1_000))

/** Whether there are just so many connections. */
const has = (slots: Slots | undefined, connections: number): Effect.Effect<boolean> =>
  slots === undefined
    ? Effect.succeed(false)
    : Effect.map(slots.connections.available, (free) => free === connections)

describe("The connections of a vendor", () => {
  it.effect("are as many as its client opens, one for each call, and shared by all calls of a configuration", () =>
    Effect.gen(function*() {
      for (const row of Rows.all) {
        const { slots } = yield* vendorOf(row)
        const own = slots?.(undefined)
        assert.isTrue(yield* has(own, row === Push.apn ? 256 : 64), row.entry.key)
        assert.strictEqual(slots?.("another account"), own, row.entry.key)
      }
    }))

  it.live("are each configuration's own: one account that the vendor leaves hanging keeps no other's calls waiting", () =>
    Effect.gen(function*() {
      const hung = "SG.hung"
      const allHang = Deferred.makeUnsafe<void>()
      let hanging = 0
      const server = yield* ScriptedVendor.listen({
        script: ({ headers }) => {
          if (headers["authorization"]?.endsWith(hung) !== true) return sendGrid.success
          if (++hanging === 64) Deferred.doneUnsafe(allHang, Effect.void)
          return "silence"
        }
      })
      const settings = settingsAt(sendGrid, server.origin)
      const one = yield* configure(sendGrid, { ...settings, api_key: hung })
      const other = yield* configure(sendGrid, settings)
      const calls = Array.from({ length: 64 }, () => one.send(delivery(sendGrid)))
      const fiber = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      yield* Deferred.await(allHang)
      assert.strictEqual(outcomeOf(yield* Effect.result(other.send(delivery(sendGrid)))), "Accepted")
      assert.isUndefined(fiber.pollUnsafe(), "it came to its end first")
      yield* Fiber.interrupt(fiber)
    }).pipe(withHttp(10_000), Effect.scoped))

  it.effect("over SMTP are those of the settings, and as many again for each server that messages name", () =>
    Effect.gen(function*() {
      const { slots } = yield* smtp(1, { connections: 3 })
      const servers = [undefined, "mail.example:25 ", "mx.example:25 "]
      const all = servers.map((server) => slots?.(server))
      assert.strictEqual(new Set(all).size, servers.length)
      assert.deepStrictEqual(servers.map((server) => slots?.(server)), all)
      for (const one of all) assert.isTrue(yield* has(one, 3))
    }))
})
