import * as Client from "#layers/outbound/Outbound.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import * as Tunnel from "#layers/outbound/Tunnel.ts"
import { allow, failing, post } from "#test/layers/outbound/Call.ts"
import * as RawServer from "#test/layers/outbound/RawServer.ts"
import { cert, key } from "#test/layers/outbound/TestCertificate.ts"
import * as ConnectProxy from "#test/support/ConnectProxy.ts"
import * as Loopback from "#test/support/Loopback.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { Dns } from "effect/net"
import { createServer } from "node:https"
import { createServer as createTlsServer } from "node:tls"

const names = Dns.layerStatic({
  hosts: { "hook.test": ["::1", "127.0.0.1"], "inside.test": ["10.1.2.3"], "public.test": ["8.8.8.8"] }
})

const through = (url: string, exempt: ReadonlyArray<string> = []) => {
  const proxy = Option.getOrThrow(Proxy.parse(url))
  return Client.make({ allow, ca: cert, proxies: { https: proxy, http: proxy, exempt } })
}

const answering = RawServer.listen(RawServer.reply("204 No Content"))

const sealed = Effect.gen(function*() {
  const server = createServer({ cert, key }, (request, response) => response.end(request.headers.host))
  return yield* Loopback.listen(server, "0.0.0.0")
})

describe("Outbound by a proxy", () => {
  it.live("asks for the address that was judged, never for the name, which the proxy could find elsewhere", () =>
    Effect.gen(function*() {
      const { port } = yield* answering
      const secure = yield* sealed
      const proxy = yield* ConnectProxy.listen({ login: "us:p%" })
      const outbound = yield* through(proxy.url.replace("p%", "p%25"))
      assert.strictEqual((yield* outbound.request(post(port, { url: `http://hook.test:${port}/` }))).status, 204)
      const answer = yield* outbound.request(post(secure, { url: `https://hook.test.:${secure}/` }))
      assert.strictEqual(answer.body, `hook.test.:${secure}`)
      assert.deepStrictEqual(proxy.asked, [`127.0.0.1:${port}`, `127.0.0.1:${secure}`])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("API7: what the guard refuses, and what has no address, is not asked of the proxy", () =>
    Effect.gen(function*() {
      const proxy = yield* ConnectProxy.listen()
      const { request } = yield* through(proxy.url)
      const refused = yield* Effect.forEach(
        ["https://inside.test/", "https://10.1.2.3/", "http://public.test:8080/", "https://unknown.test/"],
        (url) => Effect.map(Effect.flip(request(post(1, { url }))), (error) => error._tag)
      )
      assert.deepStrictEqual(refused, ["OutboundRefused", "OutboundRefused", "OutboundRefused", "OutboundNotSent"])
      assert.deepStrictEqual(proxy.asked, [])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("asks for a vendor's own host by name, since perhaps the proxy alone can look it up", () =>
    Effect.gen(function*() {
      const { port } = yield* answering
      const proxy = yield* ConnectProxy.listen({ routes: { "hooks.slack.com:80": port } })
      const outbound = yield* through(proxy.url)
      assert.strictEqual((yield* outbound.request(post(port, { url: "http://hooks.slack.com/x" }))).status, 204)
      assert.deepStrictEqual(proxy.asked, ["hooks.slack.com:80"])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("speaks TLS to a proxy of https:, and TLS within it", () =>
    Effect.gen(function*() {
      const secure = yield* sealed
      const proxy = yield* ConnectProxy.listen({ secure: true })
      const outbound = yield* through(proxy.url)
      const answer = yield* outbound.request(post(secure, { url: `https://hook.test:${secure}/` }))
      assert.deepStrictEqual([answer.status, proxy.asked.length], [200, 1])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("a proxy of https: is told its name, if it has one, and has a certificate for it", () =>
    Effect.gen(function*() {
      const told: Array<string> = []
      const heed = (name: string, done: (error: null) => void) => {
        told.push(name)
        done(null)
      }
      const server = createTlsServer({ cert, key, SNICallback: heed }, (socket) => socket.end())
      const port = yield* Loopback.listen(server)
      const faults = yield* Effect.forEach(
        ["127.0.0.1", "localhost"],
        (host) =>
          Effect.flatMap(
            through(`https://${host}:${port}`),
            ({ request }) => Effect.map(Effect.flip(request(post(1))), ({ detail }) => detail)
          )
      )
      assert.deepStrictEqual(faults, [
        "127.0.0.1: the proxy closed the connection",
        "127.0.0.1: the proxy: ERR_TLS_CERT_ALTNAME_INVALID"
      ])
      assert.deepStrictEqual(told, ["localhost"])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("a host of NO_PROXY is reached directly", () =>
    Effect.gen(function*() {
      const { port } = yield* answering
      const proxy = yield* ConnectProxy.listen()
      const outbound = yield* through(proxy.url, ["hook.test"])
      assert.strictEqual((yield* outbound.request(post(port, { url: `http://hook.test:${port}/` }))).status, 204)
      assert.deepStrictEqual(proxy.asked, [])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live.each(
    [
      [{ login: "another:one" }, "the proxy answered 407"],
      [{ answer: "HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\ncanary-in" }, "the proxy answered 403"],
      [{ answer: "HTTP/1.1 503 Unavailable\r\n\r\n" }, "the proxy answered 503"],
      [{ answer: "SSH-2.0-canary\r\n\r\n" }, "the proxy's answer is unreadable"],
      [{ answer: "x".repeat(20_000) }, "the proxy's answer is unreadable"],
      [{ closes: true }, "the proxy closed the connection"]
    ] as const
  )(
    "P4: where no tunnel opens nothing was sent, and the error says it of the proxy: %o",
    ([options, words]) =>
      Effect.gen(function*() {
        const { port, seen } = yield* answering
        const proxy = yield* ConnectProxy.listen(options)
        const { request } = yield* through(proxy.url.replace(/\/\/.*@/, "//").replace("//", "//us:canary@"))
        const error = yield* Effect.flip(request(post(port)))
        assert.deepInclude(error, { _tag: "OutboundNotSent", stage: "connect", detail: `127.0.0.1: ${words}` })
        assert.deepStrictEqual(seen.connections, [])
        yield* Deferred.await(proxy.closed)
      }).pipe(Effect.scoped, Effect.provide(names))
  )

  it.live("a proxy that is not there, or whose certificate is not trusted, is told as such", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(ConnectProxy.listen())
      const { request } = yield* through(gone.url)
      assert.strictEqual((yield* Effect.flip(request(post(1)))).detail, "127.0.0.1: the proxy: ECONNREFUSED")
      const proxy = yield* ConnectProxy.listen({ secure: true })
      const untrusting = yield* Client.make({
        allow,
        proxies: { ...Proxy.none, http: Option.getOrThrow(Proxy.parse(proxy.url)) }
      })
      const error = yield* Effect.flip(untrusting.request(post(1)))
      assert.match(error.detail, /^127\.0\.0\.1: the proxy: [A-Z_]*CERT[A-Z_]*$/)
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("an open tunnel is its user's: what came with the proxy's answer is read there, and no fault is told again", () =>
    Effect.gen(function*() {
      const { port } = yield* RawServer.listen((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nfirst words"))
      const proxy = Option.getOrThrow(Proxy.parse(`http://127.0.0.1:${port}`))
      const said: Array<readonly [fault: string | undefined, listening: number]> = []
      const words = yield* Effect.callback<string>((resume) => {
        let heard = ""
        const socket = Tunnel.open(proxy, "hook.test:25", (fault) => {
          said.push([fault, socket.listenerCount("readable")])
          socket.on("data", (chunk) => heard += String(chunk)).once("close", () => resume(Effect.succeed(heard)))
          socket.once("end", () => socket.destroy(new Error("cut")))
        })
      })
      assert.deepStrictEqual([words, said], ["first words", [[undefined, 0]]])
    }).pipe(Effect.scoped))

  it.live("the deadline spans a proxy that says nothing, and nothing was sent", () =>
    Effect.gen(function*() {
      const proxy = yield* ConnectProxy.listen({ answer: "" })
      const { request } = yield* through(proxy.url)
      const { error, took } = yield* failing(request(post(1, { deadlineMs: 300 })))
      assert.deepInclude(error, { _tag: "OutboundNotSent", stage: "deadline" })
      assert.isBelow(took, 2_000)
      yield* Deferred.await(proxy.closed)
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("interruption closes the connection to the proxy", () =>
    Effect.gen(function*() {
      const proxy = yield* ConnectProxy.listen({ answer: "" })
      const { request } = yield* through(proxy.url)
      const calling = yield* Effect.forkChild(request(post(1, { deadlineMs: 600_000 })))
      yield* Deferred.await(proxy.reached)
      yield* Fiber.interrupt(calling)
      yield* Deferred.await(proxy.closed)
    }).pipe(Effect.scoped, Effect.provide(names)))
})
