import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import * as RawServer from "#test/layers/outbound/RawServer.ts"
import { allow } from "#test/layers/outbound/Call.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import net from "node:net"

const posted = (url: string): VendorHttp.VendorRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body: "{}"
})

const ok = { status: 200, body: "{}" }

/** What cannot be reached unless the operator lets it through; the listeners here are at loopback. */
const hosts = [
  (port: number) => `http://127.0.0.1:${port}/`,
  (port: number) => `http://0x7f.1:${port}/`,
  (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
  (port: number) => `http://localhost:${port}/`,
  (port: number) => `https://localhost:${port}/`,
  () => "http://localhost/",
  () => "https://[64:ff9b::7f00:1]/",
  () => "https://169.254.169.254/latest/meta-data",
  () => "http://8.8.8.8:8080/"
]

/** How long each of a host's addresses is tried, of the connections that are opened until the end of the scope. */
const attempts = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const { connect } = net
      const seen: Array<unknown> = []
      net.connect = new Proxy(connect, {
        apply: (target, self, args) => {
          seen.push(Reflect.get(Object(args[0]), "autoSelectFamilyAttemptTimeout"))
          return Reflect.apply(target, self, args)
        }
      })
      return { connect, seen }
    }),
    ({ connect }) => Effect.sync(() => Object.assign(net, { connect }))
  ),
  ({ seen }) => seen
)

describe("VendorHttp", () => {
  it.live("each address of a host has a second to connect: to a far one, Node's quarter is too short", () =>
    Effect.forEach([undefined, "name"], (http2) =>
      Effect.gen(function*() {
        const server = yield* ScriptedVendor.listen({ http2: http2 !== undefined, script: () => ok })
        const seen = yield* attempts
        const { line } = yield* VendorHttp.make({ deadlineMs: 5_000, allow })
        yield* (yield* line).send({ ...posted(server.origin), http2 })
        assert.deepStrictEqual([...new Set(seen)], [1_000])
      }).pipe(Effect.scoped)))

  it.live.each(hosts)(
    "API7: reaches no host of the operator's own network that is not let through: %s",
    (urlOf) =>
      Effect.gen(function*() {
        let connections = 0
        const { port } = yield* RawServer.listen((socket) => {
          connections++
          socket.destroy()
        })
        const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow: [] })).line
        for (const http2 of [undefined, "name"]) {
          const refused = yield* Effect.flip(line.send({ ...posted(urlOf(port)), http2 }))
          assert.strictEqual(refused._tag, "Misconfigured")
          assert.match(refused.detail, /TIDINGS_OUTBOUND_ALLOW$/)
        }
        assert.strictEqual(connections, 0)
      }).pipe(Effect.scoped)
  )

  it.live("reaches public hosts by the addresses that a host of IPv6 alone finds them at", () =>
    Effect.gen(function*() {
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 300, allow: [] })).line
      const failed = yield* Effect.flip(line.send(posted("https://[64:ff9b::808:808]/")))
      assert.strictEqual(failed._tag, "Unavailable")
    }).pipe(Effect.scoped))

  it.live("P4: a call before the one that sends is never unknown", () =>
    Effect.gen(function*() {
      const { origin } = yield* ScriptedVendor.listen({ script: () => ({ reset: "after" }) })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow })).line
      const kinds = [
        (yield* Effect.flip(line.prepare(posted(origin))))._tag,
        (yield* Effect.flip(line.send(posted(origin))))._tag
      ]
      assert.deepStrictEqual(kinds, ["Unavailable", "Unknown"])
    }).pipe(Effect.scoped))

  it.live("P4: a vendor that was lost after an informational answer has not answered", () =>
    Effect.gen(function*() {
      const { port } = yield* RawServer.listen((socket) => {
        socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", () => socket.resetAndDestroy())
      })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow })).line
      assert.strictEqual((yield* Effect.flip(line.send(posted(`http://127.0.0.1:${port}/`))))._tag, "Unknown")
    }).pipe(Effect.scoped))

  it.live("one deadline spans all calls of a hand-over, and what it leaves unsent is not unknown", () =>
    Effect.gen(function*() {
      const { origin, seen } = yield* ScriptedVendor.listen({ script: ({ path }) => path === "/slow" ? "silence" : ok })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 1_000, allow })).line
      const first = yield* Effect.flip(line.prepare(posted(`${origin}/slow`)))
      const second = yield* Effect.flip(line.send(posted(`${origin}/send`)))
      assert.deepStrictEqual([first._tag, second._tag], ["Unavailable", "Unavailable"])
      // The first may itself have come too late to arrive.
      assert.notInclude(seen.map(({ path }) => path), "/send")
    }).pipe(Effect.scoped))

  it.live("an answer is asked for as it is, and read where it is compressed all the same", () =>
    Effect.gen(function*() {
      const answers = [
        { status: 200, gzip: true, body: "{\"id\":1}" },
        { status: 200, headers: { "content-encoding": "gzip" }, body: "no gzip" },
        { status: 200, gzip: true, body: "x".repeat(1_000_001) }
      ]
      const { origin, seen } = yield* ScriptedVendor.listen({
        script: ({ path }) => answers[Number(path.slice(1))] ?? ok
      })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow })).line
      const got = yield* Effect.forEach([0, 1, 2, 3], (index) => line.send(posted(`${origin}/${index}`)))
      assert.deepStrictEqual(got.map(({ body, whole }) => [body, whole]), [
        ["{\"id\":1}", true],
        ["", false],
        ["", false],
        ["{}", true]
      ])
      assert.strictEqual(seen[0]?.headers["accept-encoding"], "identity")
    }).pipe(Effect.scoped))

  it.live("interruption closes the connection", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const { closed, origin } = yield* ScriptedVendor.listen({
        script: ({ body }) => {
          if (body !== "") Deferred.doneUnsafe(reached, Effect.void)
          return "silence"
        }
      })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 20_000, allow })).line
      const fiber = yield* Effect.forkChild(line.send(posted(origin)))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    }).pipe(Effect.scoped))

  it.live("P4: what was given up while it waited for a connection never leaves", () =>
    Effect.gen(function*() {
      const full = yield* Deferred.make<void>()
      let held = 0
      const { origin, seen } = yield* ScriptedVendor.listen({
        script: ({ body, path }) => {
          if (path !== "/held") return ok
          if (body !== "" && ++held === 64) Deferred.doneUnsafe(full, Effect.void)
          return "silence"
        }
      })
      const { line } = yield* VendorHttp.make({ deadlineMs: 20_000, allow })
      const started = (path: string) =>
        Effect.forkChild(Effect.flatMap(line, (_) => _.send(posted(`${origin}${path}`))), { startImmediately: true })
      const first = yield* started("/held")
      for (let call = 1; call < 64; call++) yield* started("/held")
      yield* Deferred.await(full)
      yield* Fiber.interrupt(yield* started("/given-up"))
      const next = yield* started("/next")
      // Its connection is the only one that comes free, so what still waits goes there in its order.
      yield* Fiber.interrupt(first)
      assert.strictEqual((yield* Fiber.join(next)).status, 200)
      assert.deepStrictEqual(seen.slice(64).map(({ path }) => path), ["/next"])
    }).pipe(Effect.scoped))

  it.live("connections are used again, over HTTP/1.1 and HTTP/2", () =>
    Effect.forEach([undefined, "name"], (http2) =>
      Effect.gen(function*() {
        const server = yield* ScriptedVendor.listen({ http2: http2 !== undefined, script: () => ok })
        const { line } = yield* VendorHttp.make({ deadlineMs: 5_000, allow })
        for (let call = 0; call < 5; call++) yield* (yield* line).send({ ...posted(server.origin), http2 })
        assert.strictEqual(server.seen.length, 5)
        assert.isAtMost(server.connections(), 2)
        assert.strictEqual(server.seen[0]?.version, http2 === "name" ? "2.0" : "1.1")
      }).pipe(Effect.scoped)))

  it.live("many calls at once share 512 connections", () =>
    Effect.gen(function*() {
      const server = yield* ScriptedVendor.listen({ script: () => ok })
      const { line } = yield* VendorHttp.make({ deadlineMs: 10_000, allow })
      const call = Effect.flatMap(line, (_) => _.send(posted(server.origin)))
      const results = yield* Effect.forEach(Array.from({ length: 1_000 }), () => Effect.result(call), {
        concurrency: "unbounded"
      })
      assert.isTrue(results.every(Result.isSuccess))
      assert.isAtMost(server.connections(), 512)
    }).pipe(Effect.scoped))

  it.live("an answer over 1 MB is cut, over HTTP/1.1 and HTTP/2, and its status still counts", () =>
    Effect.forEach([undefined, "name"], (http2) =>
      Effect.gen(function*() {
        const body = "x".repeat(1_000_001)
        const server = yield* ScriptedVendor.listen({
          http2: http2 !== undefined,
          script: () => ({ status: 400, body })
        })
        const line = yield* (yield* VendorHttp.make({ deadlineMs: 10_000, allow })).line
        const answer = yield* line.send({ ...posted(server.origin), http2 })
        assert.deepStrictEqual([answer.status, answer.whole, answer.body], [400, false, ""])
      }).pipe(Effect.scoped)))

  it.live("a redirect is an answer, and is not followed", () =>
    Effect.gen(function*() {
      const { origin, seen } = yield* ScriptedVendor.listen({
        script: () => ({ status: 302, headers: { location: "/elsewhere" } })
      })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow })).line
      assert.strictEqual((yield* line.send(posted(origin))).status, 302)
      assert.strictEqual(seen.length, 1)
    }).pipe(Effect.scoped))

  it.live("a header that no header may be is the operator's to mend, and nothing is sent", () =>
    Effect.gen(function*() {
      const { origin, seen } = yield* ScriptedVendor.listen({ script: () => ok })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow })).line
      const wrong = [
        { ...posted(origin), headers: { authorization: "a\r\nx-evil: b" } },
        posted("not a url"),
        posted("ftp://127.0.0.1/")
      ]
      const kinds = yield* Effect.forEach(
        wrong,
        (request) => Effect.map(Effect.flip(line.send(request)), (_) => _._tag)
      )
      assert.deepStrictEqual(kinds, ["Misconfigured", "Misconfigured", "Misconfigured"])
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.scoped))

  it.live("P9: a failure names the host and the fault, not path, query or headers", () =>
    Effect.gen(function*() {
      const { origin } = yield* ScriptedVendor.listen({ script: () => ({ reset: "after" }) })
      const line = yield* (yield* VendorHttp.make({ deadlineMs: 5_000, allow })).line
      const error = yield* Effect.flip(line.send({ ...posted(`${origin}/secret?q=secret`), headers: { a: "secret" } }))
      assert.notInclude(error.detail, "secret")
      assert.include(error.detail, new URL(origin).host)
    }).pipe(Effect.scoped))
})
