import { Scope } from "#schemas/Scope.ts"
import { RateLimits, type Rule, windowMs, workspaceOf } from "#src/access/RateLimits.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const production = Scope.make(2 * scope + 1)
  const limits = yield* RateLimits
  const take = (name: Rule["name"], limit: number, scope: Scope = production, of?: string) =>
    Effect.map(limits.take(scope, of === undefined ? { name, limit } : { name, limit, of }), ({ count }) => count)
  return { production, limits, take }
})

/** What every store of request counts promises. */
export const rateLimitsContract = <E>(name: string, stores: Layer.Layer<RateLimits, E>) =>
  layer(stores)(`RateLimits: ${name}`, (it) => {
    it.effect("requests made at once are each counted, up to one above the limit", () =>
      Effect.gen(function*() {
        const { take } = yield* start
        const counts = yield* Effect.forEach(Array.from({ length: 12 }), () => take("lists", 10), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(counts.toSorted((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11])
      }))

    it.effect("a new minute begins anew, and says when it ends", () =>
      Effect.gen(function*() {
        const { limits, production, take } = yield* start
        yield* take("lists", 10)
        const { count, endsAt } = yield* limits.take(production, { name: "lists", limit: 10 })
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual(count, 2)
        assert.isTrue(endsAt > now && endsAt <= now + windowMs)
        yield* TestClock.adjust(endsAt - now - 1)
        assert.strictEqual(yield* take("lists", 10), 3)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* take("lists", 10), 1)
      }))

    it.effect("a clock that was ahead and is set back leaves no counter that goes on until then", () =>
      Effect.gen(function*() {
        const { limits, production, take } = yield* start
        const now = yield* Clock.currentTimeMillis
        const others = () => take("resends", 10, production, "a")
        yield* TestClock.setTime(now + 365 * 86_400_000)
        for (let n = 0; n < 3; n++) yield* Effect.andThen(take("lists", 10), others())
        yield* TestClock.setTime(now)
        const { count, endsAt } = yield* limits.take(production, { name: "lists", limit: 10 })
        assert.strictEqual(count, 1)
        assert.isAtMost(endsAt, now + windowMs)
        assert.deepStrictEqual([yield* others(), yield* take("lists", 10)], [1, 2])
      }))

    it.effect("kinds and workspaces are counted apart, environments of one workspace together", () =>
      Effect.gen(function*() {
        const { production, take } = yield* start
        const test = Scope.make(production + 1)
        const other = Scope.make(production + 2)
        assert.strictEqual(workspaceOf(test), workspaceOf(production))
        assert.deepStrictEqual([
          yield* take("lists", 5),
          yield* take("brands", 5),
          yield* take("lists", 5, test),
          yield* take("lists", 5, other)
        ], [1, 1, 2, 1])
      }))

    it.effect("what is counted for each thing is counted apart, in every window", () =>
      Effect.gen(function*() {
        const { production, take } = yield* start
        const counts = () =>
          Effect.forEach(["a", "b", "a", undefined], (of) => take("resends", 5, production, of), { concurrency: 1 })
        assert.deepStrictEqual(yield* counts(), [1, 1, 2, 1])
        yield* TestClock.adjust(windowMs)
        assert.deepStrictEqual(yield* counts(), [1, 1, 2, 1])
      }))
  })
