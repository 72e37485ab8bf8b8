import * as Database from "#layers/memory/Database.ts"
import * as MemoryRateLimits from "#layers/memory/RateLimits.ts"
import * as RedisRateLimits from "#layers/redis/RateLimits.ts"
import { Scope } from "#schemas/Scope.ts"
import { RateLimits } from "#src/access/RateLimits.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Predicate, Redacted, Schedule, Scope as EffectScope } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"

const full = "OOM command not allowed when used memory > 'maxmemory'."

/** No store of this test counts so far. */
const counted = 500

/** What a Redis answers that has counted so many, full or not; `cut` ends its connections, and `listen` takes new ones. */
const start = Effect.acquireRelease(
  Effect.sync(() => {
    const open = new Set<Socket>()
    let port = 0
    let isFull = false
    let isSilent = false
    let sets = 0
    const answers: Readonly<Record<string, () => string>> = {
      SET: () => isFull ? `-${full}\r\n` : "+OK\r\n",
      INCR: () => `:${counted}\r\n`
    }
    const server = createServer((socket) => {
      open.add(socket)
      socket.on("error", () => undefined).on("data", (bytes) => {
        for (const [, name = ""] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
          if (isSilent) continue
          if (name === "SET") sets++
          socket.write((answers[name] ?? (() => "+OK\r\n"))())
        }
      })
    })
    return {
      port: () => port,
      sets: () => sets,
      fill: (to: boolean) => {
        isFull = to
      },
      silence: () => {
        isSilent = true
      },
      connected: async () => {
        if (open.size === 0) await once(server, "connection")
      },
      listen: async () => {
        // One that the system gives nobody while it is closed.
        if (port === 0) port = await Ports.free()
        await once(server.listen(port, "127.0.0.1"), "listening")
      },
      cut: async () => {
        const closed = once(server.close(), "close")
        for (const socket of open) socket.destroy()
        open.clear()
        await closed
      }
    }
  }),
  (redis) => Effect.promise(redis.cut)
)

describe("RateLimits: a Redis that is full or gone", () => {
  it.live("is told once when it goes bad and once when it counts again", () =>
    Effect.gen(function*() {
      const redis = yield* start
      yield* Effect.promise(redis.listen)
      const told: Array<string> = []
      const because: Array<unknown> = []
      const listening = Logger.layer([Logger.make<unknown, void>(({ logLevel, message }) => {
        const [text, reason] = Array.isArray(message) ? message : [message]
        told.push(`${logLevel} ${text}`)
        if (Predicate.hasProperty(reason, "because")) because.push(reason.because)
      })])
      yield* Effect.gen(function*() {
        const take = RateLimits.use((_) => _.take(Scope.make(1), { name: "lists", limit: 1_000 }))
        const until = (isRedis: boolean) =>
          take.pipe(Effect.repeat({
            until: ({ count }) => isRedis === (count === counted),
            schedule: Schedule.spaced("10 millis")
          }))
        yield* until(true)
        assert.deepStrictEqual(told.splice(0), [])
        redis.fill(true)
        yield* Effect.replicateEffect(take, 5)
        assert.deepStrictEqual(told.splice(0), ["Warn Redis counts no rate limits: the store does"])
        redis.fill(false)
        yield* Effect.replicateEffect(take, 5)
        assert.deepStrictEqual(told.splice(0), ["Info Redis counts the rate limits again"])
        yield* Effect.promise(redis.cut)
        yield* until(false)
        yield* Effect.replicateEffect(Effect.andThen(take, Effect.sleep("100 millis")), 10)
        assert.deepStrictEqual(told.splice(0), ["Warn Redis counts no rate limits: the store does"])
        const sets = redis.sets()
        yield* Effect.promise(redis.listen)
        yield* until(true)
        assert.deepStrictEqual(told.splice(0), ["Info Redis counts the rate limits again"])
        // What the store counted meanwhile was not kept for it.
        assert.strictEqual(redis.sets(), sets + 1)
        assert.strictEqual(because[0], full)
        assert.match(`${because[1]}`, /Socket closed unexpectedly|The client is offline/)
      }).pipe(Effect.provide(
        Layer.fresh(RedisRateLimits.layer(Redacted.make(`redis://127.0.0.1:${redis.port()}`))).pipe(
          Layer.provide(MemoryRateLimits.layer),
          Layer.provide(Layer.fresh(Database.layer)),
          Layer.provideMerge(listening)
        )
      ))
    }).pipe(Effect.scoped))

  it.effect("P8: one that accepts and never answers is told of, and holds up neither a caller nor the stop", () =>
    Effect.gen(function*() {
      const redis = yield* start
      redis.silence()
      yield* Effect.promise(redis.listen)
      const told: Array<unknown> = []
      const scope = yield* EffectScope.make()
      const { take } = Context.get(
        yield* Layer.fresh(RedisRateLimits.layer(Redacted.make(`redis://127.0.0.1:${redis.port()}`))).pipe(
          Layer.provide(MemoryRateLimits.layer),
          Layer.provide(Layer.fresh(Database.layer)),
          Layer.provideMerge(Logger.layer([Logger.make(({ message }) => told.push(message))])),
          Layer.buildWithScope(scope)
        ),
        RateLimits
      )
      yield* Effect.promise(redis.connected)
      assert.propertyVal(yield* take(Scope.make(1), { name: "lists", limit: 1_000 }), "count", 1)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(told, [["Redis counts no rate limits: the store does", { because: "no answer" }]])
      const stop = yield* Effect.forkChild(EffectScope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isDefined(stop.pollUnsafe())
    }).pipe(Effect.scoped))
})
