import * as Client from "#layers/outbound/Outbound.ts"
import { allow, call, client, failing, post } from "#test/layers/outbound/Call.ts"
import * as RawServer from "#test/layers/outbound/RawServer.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Dns, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import type { Socket } from "node:net"

const { reply } = RawServer

const drip = (socket: Socket) => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
  const timer = setInterval(() => socket.write("x"), 20)
  socket.once("close", () => clearInterval(timer))
}

/** In ms, no sooner than the deadline; how much later is the machine's, which may have other things to do. */
const keeps = (deadline: number, took: number) => {
  assert.isAtLeast(took, deadline - 5)
  assert.isBelow(took, deadline + 10_000)
}

describe("Outbound faults", () => {
  it.live("is not sent when the connection is refused, the name unknown, or TLS meets a plain port", () =>
    Effect.gen(function*() {
      const { port } = yield* RawServer.listen(reply("400 Bad Request"))
      const closed = yield* Effect.promise(() => Ports.free())
      const outbound = yield* client
      const stages = yield* Effect.forEach(
        [`http://127.0.0.1:${closed}/`, "http://nowhere.test/", `https://127.0.0.1:${port}/`],
        (url) => Effect.flip(outbound.request(post(port, { url })))
      )
      assert.deepStrictEqual(stages.map((error) => error._tag === "OutboundNotSent" && error.stage), [
        "connect",
        "dns",
        "tls"
      ])
    }).pipe(Effect.scoped))

  it.live("is not sent when the deadline passes in the look-up or the TLS greeting, and keeps it", () =>
    Effect.gen(function*() {
      const silent = Dns.make({ lookup: () => Effect.never })
      const { port } = yield* RawServer.listen(() => {})
      const inLookup = (yield* Client.make({ allow }).pipe(Effect.provideService(Dns.Dns, silent))).request
      const inTls = (yield* client).request
      const late = yield* Effect.all([
        failing(inLookup(post(port, { url: "http://slow.test/", deadlineMs: 250 }))),
        failing(inTls(post(port, { url: `https://127.0.0.1:${port}/`, deadlineMs: 250 })))
      ], { concurrency: 2 })
      for (const { error, took } of late) {
        assert.deepInclude(error, { _tag: "OutboundNotSent", stage: "deadline" })
        keeps(250, took)
      }
    }).pipe(Effect.scoped))

  const unknown: ReadonlyArray<readonly [string, (socket: Socket) => void, string, number | undefined]> = [
    ["end of file before an answer", (socket) => socket.end(), "disconnected", undefined],
    ["a reset before an answer", (socket) => socket.resetAndDestroy(), "disconnected", undefined],
    [
      "a reset after half a status line",
      (socket) => socket.write("HTTP/1.1 20", () => socket.resetAndDestroy()),
      "disconnected",
      undefined
    ],
    ["end of file in the body", reply("200 OK\r\nContent-Length: 10", "abc"), "disconnected", 200],
    ["a body cut between chunks", reply("200 OK\r\nTransfer-Encoding: chunked", "2\r\nok\r\n"), "disconnected", 200],
    ["a garbage status line", (socket) => socket.end("NOT HTTP AT ALL\r\n\r\n"), "unreadable", undefined],
    ["an HTTP/2 greeting", (socket) => socket.end(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])), "unreadable", undefined],
    [
      "two lengths",
      reply("200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n"),
      "unreadable",
      undefined
    ],
    ["a broken chunk size", reply("200 OK\r\nTransfer-Encoding: chunked", "zz\r\n"), "unreadable", 200],
    ["more body than its length says", reply("200 OK\r\nContent-Length: 2", "abcdefg"), "unreadable", 200],
    ["headers beyond 16 KiB", reply(`200 OK\r\nX: ${"a".repeat(40_000)}`, "ok"), "unreadable", undefined],
    ["a switch of protocol", reply("101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket"), "unreadable", 101]
  ]
  for (const [fault, script, reason, status] of unknown) {
    it.live(`P4: nobody knows whether it was sent after ${fault}`, () =>
      Effect.map(Effect.flip(call(script)), (error) => {
        assert.strictEqual(error._tag, "OutboundUnknown")
        if (error._tag === "OutboundUnknown") assert.deepStrictEqual([error.reason, error.status], [reason, status])
      }))
  }

  it.live("P4: nobody knows whether it was sent after a reset in the body", () =>
    Effect.gen(function*() {
      const script = (socket: Socket) => {
        socket.write("HTTP/1.1 202 OK\r\nContent-Length: 10\r\n\r\nabc", () => socket.resetAndDestroy())
      }
      assert.deepInclude(yield* Effect.flip(call(script)), { _tag: "OutboundUnknown", reason: "disconnected" })
    }))

  it.live("P4: silence and a drip end at the deadline, with an unknown outcome", () =>
    Effect.gen(function*() {
      const [silence, dripping] = yield* Effect.all([
        failing(call(() => {}, { deadlineMs: 1_000 })),
        failing(call(drip, { deadlineMs: 1_000 }))
      ], { concurrency: 2 })
      assert.deepInclude(silence.error, { _tag: "OutboundUnknown", reason: "deadline" })
      assert.deepInclude(dripping.error, { _tag: "OutboundUnknown", reason: "deadline", status: 200 })
      keeps(1_000, silence.took)
      keeps(1_000, dripping.took)
    }))

  it.effect("P4: look-up, connection and answer share one deadline", () =>
    Effect.gen(function*() {
      const arrived = Deferred.makeUnsafe<void>()
      const { port } = yield* RawServer.listen(() => Deferred.doneUnsafe(arrived, Effect.void))
      const asked = Deferred.makeUnsafe<void>()
      const slow = Dns.make({
        lookup: () =>
          Effect.andThen(
            Deferred.succeed(asked, undefined),
            Effect.delay(Effect.succeed([NetAddress.ipFromStringUnsafe("127.0.0.1")]), 400)
          )
      })
      const { request } = yield* Client.make({ allow }).pipe(Effect.provideService(Dns.Dns, slow))
      const calling = yield* Effect.forkChild(
        Effect.flip(request(post(port, { url: `http://slow.test:${port}/`, deadlineMs: 1_000 })))
      )
      yield* Deferred.await(asked)
      yield* TestClock.adjust(400)
      yield* Deferred.await(arrived)
      yield* TestClock.adjust(599)
      assert.isUndefined(calling.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(calling), { _tag: "OutboundUnknown", reason: "deadline" })
    }))
})
