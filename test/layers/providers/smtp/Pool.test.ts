import { start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { delivery, vendor } from "./Deliveries.ts"

const numbered = (index: number) => delivery({ token: `token-${index}`, text: `number ${index}\n` })

describe("SMTP pool", () => {
  it.live("many messages go over few connections, each of them once", () =>
    Effect.gen(function*() {
      const server = yield* start({ extensions: ["PIPELINING"] })
      const provider = yield* vendor(server.port, { connections: 3, messages_per_connection: 10 })
      yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => index),
        (index) => provider.send(numbered(index)),
        {
          concurrency: "unbounded",
          discard: true
        }
      )
      assert.strictEqual(server.messages.length, 100)
      assert.strictEqual(new Set(server.messages.map(({ raw }) => raw)).size, 100)
      const carried = Map.groupBy(server.messages, ({ connection }) => connection)
      for (const messages of carried.values()) assert.isAtMost(messages.length, 10)
      assert.isAtMost(carried.size, 13)
    }))

  it.live("a kept connection that the server closed is replaced, and nothing is lost or doubled", () =>
    Effect.gen(function*() {
      const server = yield* start({ messagesPerConnection: 1 })
      const provider = yield* vendor(server.port, { connections: 1 })
      for (let index = 0; index < 20; index++) yield* provider.send(numbered(index))
      assert.strictEqual(server.messages.length, 20)
      assert.strictEqual(server.connections(), 20)
    }))

  it.live("a kept connection that says goodbye to the next message is replaced, once", () =>
    Effect.gen(function*() {
      let mails = 0
      const server = yield* start({
        cues: [{ at: "mail", act: { reply: "421 4.4.2 idle too long" }, when: () => ++mails > 1 }]
      })
      const provider = yield* vendor(server.port, { connections: 1 })
      yield* provider.send(numbered(0))
      const error = yield* Effect.flip(provider.send(numbered(1)))
      assert.strictEqual(error._tag, "Unavailable")
      assert.strictEqual(server.connections(), 2)
      assert.strictEqual(server.messages.length, 1)
    }))

  it.live("a refused recipient leaves the connection fit for the next message", () =>
    Effect.gen(function*() {
      const server = yield* start({
        cues: [{ at: "rcpt", recipient: "gone@rcpt.test", act: { reply: "550 5.1.1 gone" } }]
      })
      const provider = yield* vendor(server.port, { connections: 1 })
      for (let index = 0; index < 3; index++) {
        const error = yield* Effect.flip(provider.send(delivery({ email: "gone@rcpt.test" })))
        assert.strictEqual(error._tag, "RecipientRejected")
        yield* provider.send(numbered(index))
      }
      assert.strictEqual(server.messages.length, 3)
      assert.strictEqual(server.connections(), 1)
      assert.include(server.commands, "RSET")
    }))

  it.live("an unused connection is closed, and so is every other when the configuration goes", () =>
    Effect.gen(function*() {
      const server = yield* start()
      const scope = yield* Scope.make()
      const tired = yield* vendor(server.port, { idle_timeout: 20 }).pipe(Scope.provide(scope))
      yield* tired.send(delivery())
      yield* server.drained
      assert.include(server.commands, "QUIT")
      const kept = yield* vendor(server.port).pipe(Scope.provide(scope))
      yield* kept.send(delivery())
      assert.strictEqual(server.open(), 1)
      yield* Scope.close(scope, Exit.void)
      yield* server.drained
    }))

  it.live("waiting for a connection counts: too late is proved not sent", () =>
    Effect.gen(function*() {
      const server = yield* start({ cues: [{ at: "greeting", act: "hang" }] })
      const provider = yield* vendor(server.port, { connections: 1, send_timeout: 100 })
      const errors = yield* Effect.all(
        [Effect.flip(provider.send(delivery())), Effect.flip(provider.send(delivery()))],
        {
          concurrency: 2
        }
      )
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag), ["Unavailable", "Unavailable"])
    }))
})
