import * as Database from "#layers/memory/Database.ts"
import * as MemoryRateLimits from "#layers/memory/RateLimits.ts"
import * as RedisRateLimits from "#layers/redis/RateLimits.ts"
import { Scope } from "#schemas/Scope.ts"
import { RateLimits } from "#src/access/RateLimits.ts"
import { assert, describe, it } from "@effect/vitest"
import { Config, Effect, Layer, Redacted, Schedule } from "effect"
import { randomInt } from "node:crypto"

const server = Config.Redacted("TEST_REDIS_URL").pipe(Config.withDefault(Redacted.make("redis://127.0.0.1:6379")))

const node = (url: Redacted.Redacted) =>
  Layer.fresh(
    RedisRateLimits.layer(url).pipe(Layer.provide(MemoryRateLimits.layer), Layer.provide(Layer.fresh(Database.layer)))
  )

const rule = { name: "lists", limit: 1_000 } as const

describe("RateLimits: Redis", () => {
  it.live("two nodes count together once both have reached it", () =>
    Effect.gen(function*() {
      const url = yield* server
      const one = yield* Layer.build(node(url))
      const two = yield* Layer.build(node(url))
      const scope = Scope.make(2 * randomInt(1_000_000_000) + 1)
      const take = (on: typeof one) =>
        Effect.map(RateLimits.use((_) => _.take(scope, rule)), ({ count }) => count).pipe(Effect.provideContext(on))
      // Until both are connected each counts for itself; then a count is higher than this node's own alone.
      let own = 0
      yield* Effect.suspend(() => {
        own++
        return Effect.andThen(take(one), take(two))
      }).pipe(Effect.repeat({ until: (count) => count > own, schedule: Schedule.spaced("5 millis") }))
      const before = yield* take(one)
      const after = yield* take(two)
      assert.isTrue(after === before + 1 || after === 1, `${before} ${after}`)
    }).pipe(Effect.scoped))

  it.effect("without it the store beneath counts", () =>
    Effect.gen(function*() {
      const take = RateLimits.use((_) => _.take(Scope.make(1), rule))
      const counts = yield* Effect.replicateEffect(take, 3).pipe(
        Effect.provide(node(Redacted.make("redis://127.0.0.1:1")))
      )
      assert.deepStrictEqual(counts.map(({ count }) => count), [1, 2, 3])
    }))
})
