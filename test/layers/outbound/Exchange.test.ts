import { call, client, failing, post } from "#test/layers/outbound/Call.ts"
import * as RawServer from "#test/layers/outbound/RawServer.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Socket } from "node:net"

const { reply } = RawServer

describe("Outbound exchange", () => {
  it.live("sends the request as given and returns status, headers and body", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* RawServer.listen(
        reply("201 Made\r\nX-One: a\r\nx-one: b\r\nSet-Cookie: c=1", "hello ☃")
      )
      const answer = yield* (yield* client).request(
        post(port, { headers: { "Content-Type": "text/plain", "X-Sig": "v1,abc" } })
      )
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(answer.headers, { "x-one": "a, b", "set-cookie": "c=1" })
      const [head = "", body] = seen.received.split("\r\n\r\n")
      assert.strictEqual(Buffer.from(body ?? "", "latin1").toString("utf8"), "grüezi")
      assert.sameMembers(head.split("\r\n"), [
        "POST /hook?a=1 HTTP/1.1",
        "user-agent: Tidings",
        "content-type: text/plain",
        "x-sig: v1,abc",
        "accept-encoding: identity",
        "content-length: 7",
        `host: 127.0.0.1:${port}`,
        "Connection: close"
      ])
      assert.deepStrictEqual([answer.body, answer.truncated], ["hello ☃", false])
    }).pipe(Effect.scoped))

  it.live("a caller may say who asks, and not which encodings could be read", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* RawServer.listen(reply("204 None"))
      yield* (yield* client).request(post(port, { headers: { "User-Agent": "Shop/1", "Accept-Encoding": "gzip" } }))
      const heads = seen.received.split("\r\n").filter((line) => /^(?:user-agent|accept-encoding):/i.test(line))
      assert.sameMembers(heads, ["user-agent: Shop/1", "accept-encoding: identity"])
    }).pipe(Effect.scoped))

  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const) {
    it.live(`frames a ${method} with and without a body`, () =>
      Effect.gen(function*() {
        const { port, seen } = yield* RawServer.listen(reply("204 None"))
        const outbound = yield* client
        yield* outbound.request(post(port, { method, body: "{}" }))
        yield* outbound.request(post(port, { method, body: undefined }))
        const lengths = seen.received.match(/content-length: \d+/g)
        const empty = method === "GET" || method === "HEAD" ? [] : ["content-length: 0"]
        assert.deepStrictEqual(lengths, ["content-length: 2", ...empty])
        assert.notInclude(seen.received.toLowerCase(), "transfer-encoding")
        assert.lengthOf(seen.connections, 2)
      }).pipe(Effect.scoped))
  }

  it.live("takes an answer without a length, one in pieces, and one after informational answers", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* call(reply("200 OK", "all of it"))).body, "all of it")
      const pieces = reply("200 OK\r\nTransfer-Encoding: chunked", "1\r\na\r\n1\r\nb\r\n2\r\ncd\r\n0\r\n\r\n")
      assert.deepInclude(yield* call(pieces), { body: "abcd", truncated: false })
      const early = reply(
        "100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2",
        "ok"
      )
      assert.deepInclude(yield* call(early), { status: 200, body: "ok", truncated: false })
    }))

  it.live("keeps 64 KiB of a long answer, never half a character, and says so", () =>
    Effect.gen(function*() {
      const long = yield* call(reply("200 OK\r\nContent-Length: 300001", `x${"ä".repeat(150_000)}`))
      assert.deepStrictEqual([long.truncated, long.body], [true, `x${"ä".repeat(32_767)}`])
    }))

  it.live("cuts a 100 MB answer after 1 MiB and closes the connection", () =>
    Effect.gen(function*() {
      const closed = Deferred.makeUnsafe<number>()
      const total = 100 * 1024 * 1024
      const script = (socket: Socket) => {
        socket.once("close", () => Deferred.doneUnsafe(closed, Effect.succeed(socket.bytesWritten)))
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
        const chunk = Buffer.alloc(65_536, 120)
        const more = () => {
          while (!socket.destroyed && socket.write(chunk));
        }
        socket.on("drain", more)
        more()
      }
      const { port } = yield* RawServer.listen(script)
      const answer = yield* (yield* client).request(post(port))
      assert.deepStrictEqual([answer.status, answer.body.length, answer.truncated], [200, 65_536, true])
      assert.isBelow(yield* Deferred.await(closed), total / 4)
    }).pipe(Effect.scoped))

  it.live("an answer that comes no further counts once more than 1 MiB of it have come", () =>
    Effect.gen(function*() {
      const first = (bytes: number) => (socket: Socket) =>
        void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n${"x".repeat(bytes)}`)
      const enough = yield* call(first(1_048_577), { deadlineMs: 20_000 })
      assert.deepStrictEqual([enough.status, enough.truncated], [200, true])
      const { error } = yield* failing(call(first(1_048_576), { deadlineMs: 500 }))
      assert.deepInclude(error, { _tag: "OutboundUnknown", status: 200, reason: "deadline" })
    }))

  it.live("closes the connection when its fiber is interrupted", () =>
    Effect.gen(function*() {
      const arrived = Deferred.makeUnsafe<void>()
      const closed = Deferred.makeUnsafe<void>()
      const { port } = yield* RawServer.listen((socket) => {
        socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        Deferred.doneUnsafe(arrived, Effect.void)
      })
      const fiber = yield* Effect.forkChild((yield* client).request(post(port, { deadlineMs: 60_000 })))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    }).pipe(Effect.scoped))
})
