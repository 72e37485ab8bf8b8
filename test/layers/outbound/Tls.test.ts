import * as Client from "#layers/outbound/Outbound.ts"
import { allow, post } from "#test/layers/outbound/Call.ts"
import { cert, key } from "#test/layers/outbound/TestCertificate.ts"
import * as Loopback from "#test/support/Loopback.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Dns } from "effect/net"
import { createServer } from "node:https"
import { createServer as createTcpServer, type Socket } from "node:net"

const names = Dns.layerStatic({ hosts: { "hook.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] } })

const secureServer = Effect.gen(function*() {
  const seen = new Array<string>()
  const named = new Array<string | false>()
  const server = createServer({ cert, key }, (request, response) => {
    seen.push(`${request.method} ${request.headers.host}`)
    response.end("sealed")
  })
  server.on("secureConnection", (socket) => named.push(socket.servername ?? false))
  return { port: yield* Loopback.listen(server, "0.0.0.0"), named, seen }
})

describe("Outbound over TLS", () => {
  it.live("speaks to a server whose certificate is good for the name or address of the URL", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* secureServer
      const outbound = yield* Client.make({ allow, ca: cert })
      for (const host of ["hook.test", "hook.test.", "127.0.0.1"]) {
        const answer = yield* outbound.request(post(port, { url: `https://${host}:${port}/` }))
        assert.deepStrictEqual([answer.status, answer.body], [200, "sealed"])
      }
      assert.deepStrictEqual(seen, ["hook.test", "hook.test.", "127.0.0.1"].map((host) => `POST ${host}:${port}`))
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("names the server that it wants as TLS has it: without the dot at its end, and no address", () =>
    Effect.gen(function*() {
      const { named, port } = yield* secureServer
      const outbound = yield* Client.make({ allow, ca: cert })
      for (const host of ["hook.test", "hook.test.", "127.0.0.1"])
        yield* outbound.request(post(port, { url: `https://${host}:${port}/` }))
      assert.deepStrictEqual(named, ["hook.test", "hook.test", false])
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("who is interrupted in the greeting leaves no connection behind, though the other side keeps its end open", () =>
    Effect.gen(function*() {
      const arrived = Deferred.makeUnsafe<Socket>()
      const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
        socket.on("error", () => undefined).once("data", () => Deferred.doneUnsafe(arrived, Effect.succeed(socket)))
      })
      const port = yield* Loopback.listen(server)
      const { request } = yield* Client.make({ allow })
      const calling = yield* Effect.forkChild(
        request(post(port, { url: `https://127.0.0.1:${port}/`, deadlineMs: 600_000 }))
      )
      const socket = yield* Deferred.await(arrived)
      yield* Fiber.interrupt(calling)
      // Who has gone answers what is still written to him, here a record of TLS without an end, by a reset.
      socket.write(Uint8Array.of(0x16, 3, 3, 0x40, 0))
      yield* Effect.repeat(
        Effect.andThen(Effect.sync(() => socket.write(Uint8Array.of(0))), Effect.sleep("10 millis")),
        { until: () => socket.destroyed }
      )
    }).pipe(Effect.scoped, Effect.provide(names)))

  it.live("sends nothing to a server whose certificate is for another name or from nobody we trust", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* secureServer
      const trusting = yield* Client.make({ allow, ca: cert })
      const ordinary = yield* Client.make({ allow })
      const errors = yield* Effect.all([
        Effect.flip(trusting.request(post(port, { url: `https://other.test:${port}/` }))),
        Effect.flip(trusting.request(post(port, { url: `https://127.0.0.2:${port}/` }))),
        Effect.flip(ordinary.request(post(port, { url: `https://hook.test:${port}/` })))
      ])
      for (const error of errors) assert.deepInclude(error, { _tag: "OutboundNotSent", stage: "tls" })
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.scoped, Effect.provide(names)))
})
