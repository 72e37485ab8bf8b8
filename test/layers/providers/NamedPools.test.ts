import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import { configure, delivery, play, replying, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import { allow } from "#test/layers/outbound/Call.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import * as LongTimers from "#test/support/LongTimers.ts"
import * as Loopback from "#test/support/Loopback.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import * as TcpProxy from "#test/support/TcpProxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { createServer, type Http2ServerResponse } from "node:http2"

/** Until the end of the scope, timers of up to half an hour, though longer than a second, are due at once. */
const hurried = Effect.acquireRelease(
  Effect.sync(() => {
    const { setTimeout } = globalThis
    globalThis.setTimeout = new Proxy(setTimeout, {
      apply: (set, self, [run, ms, ...rest]) =>
        Reflect.apply(set, self, [run, ms > 1_000 && ms <= LongTimers.long / 2 ? 0 : ms, ...rest])
    })
    return setTimeout
  }),
  (setTimeout) => Effect.sync(() => Object.assign(globalThis, { setTimeout }))
)

describe("NamedPools: HTTP/2 connections", () => {
  it.live("APNs: each carries one token, since Apple refuses another key's there, and the key's own if it is new too soon", () =>
    Effect.gen(function*() {
      const server = yield* ScriptedVendor.listen({ http2: true, script: () => Push.apn.success })
      const settings = settingsAt(Push.apn, server.origin)
      yield* Effect.gen(function*() {
        const one = yield* configure(Push.apn, settings)
        const other = yield* configure(Push.apn, { ...settings, team_id: "OTHERTEAM1" })
        const second = yield* configure(Push.apn, { ...settings, topic: "com.example.second" })
        const sent = (vendor: typeof one, config = {}) =>
          Effect.map(vendor.send(delivery(Push.apn, { override: { config } })), server.connections)
        const counts = [
          yield* sent(one),
          yield* sent(other),
          yield* sent(one),
          yield* sent(one, { key_id: "OTHERKEY99" }),
          yield* sent(one, { topic: "com.example.other" }),
          yield* sent(other),
          yield* sent(second),
          yield* sent(one),
          yield* sent(second)
        ]
        assert.deepStrictEqual(counts, [1, 2, 2, 3, 3, 3, 4, 4, 4])
      }).pipe(withHttp(10_000))
    }).pipe(Effect.scoped))

  it.live("APNs: one stays open for half an hour without a push, since Apple bars who connects often", () =>
    Effect.gen(function*() {
      const { server, vendor } = yield* play(Push.apn, replying(Push.apn), LongTimers.long)
      yield* hurried
      const sent = Effect.andThen(
        vendor.send(delivery(Push.apn)),
        Effect.callback<void>((resume) => {
          setImmediate(() => setTimeout(() => resume(Effect.void), LongTimers.long / 2))
        })
      )
      yield* Effect.all([sent, sent, sent])
      assert.strictEqual(server.connections(), 1)
    }).pipe(Effect.scoped))

  it.live("P4: are of a bounded number of names, and what is under way on one that is put out is still answered", () =>
    Effect.gen(function*() {
      const closed = yield* Deferred.make<void>()
      const reached = yield* Deferred.make<Http2ServerResponse>()
      const server = createServer((request, response) => {
        if (request.url !== "/held") return response.end()
        request.stream.session?.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        Deferred.doneUnsafe(reached, Effect.succeed(response))
      })
      const origin = `http://127.0.0.1:${yield* Loopback.listen(server)}`
      const { line } = yield* VendorHttp.make({ deadlineMs: 20_000, allow })
      const call = (path: string, http2: string) =>
        Effect.flatMap(line, (_) => _.send({ method: "POST", url: `${origin}${path}`, headers: {}, body: "{}", http2 }))
      const held = yield* Effect.forkChild(call("/held", "held"), { startImmediately: true })
      const response = yield* Deferred.await(reached)
      for (let n = 0; n < 100; n++) yield* call("/", `name ${n}`)
      response.end()
      assert.strictEqual((yield* Fiber.join(held)).status, 200)
      yield* Deferred.await(closed)
    }).pipe(Effect.scoped))

  it.live("P4: one that a firewall forgot is replaced, and nothing that waited for it is called unknown", () =>
    Effect.gen(function*() {
      const server = yield* ScriptedVendor.listen({ http2: true, script: () => Push.apn.success })
      const network = yield* TcpProxy.start({ host: "127.0.0.1", port: Number(new URL(server.origin).port) })
      const { line } = yield* VendorHttp.make({ deadlineMs: 2_000, allow })
      const request = { method: "POST", url: `http://127.0.0.1:${network.port}/`, headers: {}, http2: "name" } as const
      const call = Effect.flatMap(line, (_) => _.send(request))
      yield* call
      network.forget()
      assert.strictEqual((yield* Effect.flip(call))._tag, "Unknown")
      assert.strictEqual((yield* call).status, 200)
      assert.strictEqual(server.connections(), 2)
    }).pipe(Effect.scoped))
})
