import * as Slots from "#src/delivery/attempts/Slots.ts"
import { start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { allowing, delivery, vendor } from "./Deliveries.ts"

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

  it.live("what was refused to one message is not held against the next one over the same connection", () =>
    Effect.gen(function*() {
      let asked = 0
      const server = yield* start({
        cues: [{
          at: "rcpt",
          recipient: "busy@rcpt.test",
          act: { reply: "450 4.2.1 later" },
          when: () => ++asked === 1
        }]
      })
      const provider = yield* vendor(server.port, { connections: 1 })
      yield* provider.send(delivery({ override: { cc: "busy@rcpt.test" } }))
      yield* provider.send(delivery({ email: "busy@rcpt.test" }))
      assert.deepStrictEqual(server.messages.map(({ to }) => to), [["bob@rcpt.test"], ["busy@rcpt.test"]])
      assert.strictEqual(server.connections(), 1)
    }))

  for (const [at, outcome] of [["mail", "Unavailable"], ["final", "Unknown"]] as const) {
    it.effect(`P4: silence at ${at} of the second message over a connection is ${outcome}, as of the first`, () =>
      Effect.gen(function*() {
        let come = 0
        const second = Promise.withResolvers<void>()
        const when = () => {
          if (++come === 1) return false
          second.resolve()
          return true
        }
        const server = yield* start({ cues: [{ at, act: "hang", when }] })
        const provider = yield* vendor(server.port, { connections: 1, send_timeout: 10_000, answer_timeout: 10_000 })
        yield* provider.send(numbered(0))
        const sending = yield* Effect.forkChild(Effect.flip(provider.send(numbered(1))))
        yield* Effect.promise(() => second.promise)
        while (sending.pollUnsafe() === undefined) {
          yield* TestClock.adjust(100)
          yield* Effect.promise(() => setImmediate())
        }
        const error = yield* Fiber.join(sending)
        assert.strictEqual(error._tag, outcome, error.detail)
        assert.include(error.detail, `At ${at}`)
        assert.strictEqual(server.connections(), 1)
      }))
  }

  it.live("an unused connection is closed, and so is every other when the configuration goes", () =>
    Effect.gen(function*() {
      const server = yield* start()
      const scope = yield* Scope.make()
      const tired = yield* vendor(server.port, { idle_timeout: 20 }).pipe(Scope.provide(scope))
      // Those that were parked after all others were closed, too.
      for (let count = 0; count < 2; count++) {
        yield* tired.send(delivery())
        yield* server.drained
      }
      assert.include(server.commands, "QUIT")
      const kept = yield* vendor(server.port).pipe(Scope.provide(scope))
      yield* kept.send(delivery())
      assert.strictEqual(server.open(), 1)
      yield* Scope.close(scope, Exit.void)
      yield* server.drained
    }))

  it.effect("a connection is closed only when it was unused for all of the time, not when it was opened so long ago", () =>
    Effect.gen(function*() {
      const server = yield* start()
      const provider = yield* vendor(server.port, { idle_timeout: 1_000 })
      for (let index = 0; index < 5; index++) {
        yield* provider.send(numbered(index))
        yield* TestClock.adjust(600)
      }
      assert.strictEqual(server.connections(), 1)
      assert.notInclude(server.commands, "QUIT")
    }))

  it.live("a server that a message names and that says nothing holds up nobody else's mail", () =>
    Effect.gen(function*() {
      const own = yield* start()
      const reached = Promise.withResolvers<void>()
      const when = () => {
        reached.resolve()
        return true
      }
      const silent = yield* start({ cues: [{ at: "greeting", act: "hang", when }] })
      const provider = yield* vendor(own.port, { connections: 1, greeting_timeout: 600_000 }).pipe(
        allowing("127.0.0.0/8")
      )
      const elsewhere = { config: { host: "127.0.0.1", port: silent.port } }
      const held = yield* Effect.forkChild(Effect.exit(provider.send(delivery({ override: elsewhere }))))
      yield* Effect.promise(() => reached.promise)
      yield* provider.send(delivery())
      assert.isUndefined(held.pollUnsafe())
    }))

  it.live("nor anybody else's mail to another server that a message names", () =>
    Effect.gen(function*() {
      const own = yield* start()
      const reached = Promise.withResolvers<void>()
      let asked = 0
      const when = () => {
        if (++asked === 2) reached.resolve()
        return true
      }
      const silent = yield* start({ cues: [{ at: "final", act: "hang", when }] })
      const other = yield* start()
      const provider = yield* vendor(own.port, { connections: 2 }).pipe(allowing("127.0.0.0/8"))
      const { serverOf, slots } = provider
      assert(serverOf !== undefined && slots !== undefined)
      const over = { handedOver: Effect.never, left: Effect.die("handed over") }
      const sent = (port: number, token: string) => {
        const one = delivery({ token, override: { config: { host: "127.0.0.1", port } } })
        return Slots.connect(slots(serverOf(one.profile, one.override)), Effect.orDie(provider.send(one)), over)
      }
      const held = yield* Effect.forEach(Array.from({ length: 40 }, (_, index) => `held-${index}`), (token) =>
        Effect.forkChild(Effect.exit(sent(silent.port, token))))
      yield* Effect.promise(() =>
        reached.promise
      )
      yield* sent(other.port, "free")
      assert.strictEqual(other.messages.length, 1)
      for (const one of held)
        assert.isUndefined(one.pollUnsafe())
    }))

  it.live("servers that messages name get as many messages at a time as the operator's, each over a connection of its own", () =>
    Effect.gen(function*() {
      const own = yield* start()
      const [sending, most] = [new Set<number>(), new Set<number>()]
      let begun = 0
      const note = (change: () => void) => () => {
        change()
        most.add(sending.size)
        return false
      }
      const other = yield* start({
        cues: [
          { at: "mail", act: "hang", when: note(() => sending.add(++begun)) },
          { at: "final", act: "hang", when: note(() => sending.delete([...sending][0] ?? 0)) }
        ]
      })
      const provider = yield* vendor(own.port, { connections: 2 }).pipe(allowing("127.0.0.0/8"))
      const override = { config: { host: "127.0.0.1", port: other.port } }
      yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => delivery({ token: `token-${index}`, override })),
        (one) => provider.send(one),
        { concurrency: "unbounded", discard: true }
      )
      yield* other.drained
      assert.isAtMost(Math.max(...most), 2)
      assert.deepStrictEqual([other.messages.length, other.connections(), own.connections()], [8, 8, 0])
    }))

  it.live("a server that never answers to QUIT is left after a second", () =>
    Effect.gen(function*() {
      const server = yield* start({ cues: [{ at: "quit", act: "hang" }] })
      const provider = yield* vendor(server.port, { messages_per_connection: 1 })
      yield* provider.send(delivery())
      yield* server.drained
      assert.strictEqual(server.commands.at(-1), "QUIT")
    }))

  it.live("a kept connection on which nothing can be begun anew is replaced, and the message is sent", () =>
    Effect.gen(function*() {
      const server = yield* start({
        cues: [
          { at: "rcpt", recipient: "gone@rcpt.test", act: { reply: "550 5.1.1 gone" } },
          { at: "rset", act: { reply: "500 5.5.1 what" } }
        ]
      })
      const provider = yield* vendor(server.port, { connections: 1 })
      yield* Effect.flip(provider.send(delivery({ email: "gone@rcpt.test" })))
      yield* provider.send(delivery())
      assert.deepStrictEqual([server.messages.length, server.connections()], [1, 2])
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
