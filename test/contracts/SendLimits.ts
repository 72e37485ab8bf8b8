import type { SendLimit } from "#schemas/SendLimit.ts"
import { type LimitName, SendLimits } from "#src/flows/SendLimits.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const daily: LimitName = { per: "user", period: "day" }
const hourly: LimitName = { per: "tenant", period: "hour" }

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  return { scope, limits: yield* SendLimits }
})

/** What every store promises of send limits. */
export const sendLimitsContract = <E>(name: string, stores: Layer.Layer<SendLimits, E>) =>
  layer(stores)(`SendLimits: ${name}`, (it) => {
    it.effect("a limit is what was said last, and keeps when it was made", () =>
      Effect.gen(function*() {
        const { limits, scope } = yield* start
        assert.strictEqual((yield* Effect.flip(limits.get(scope, daily)))._tag, "SendLimitNotFound")
        const said: SendLimit = {
          limit: 3,
          overrides: { "__proto__": 1, "é\"'": 0 },
          excluded_topics: ["pt_\u{1f984}"]
        }
        const made = yield* limits.put(scope, daily, said)
        assert.deepStrictEqual(made, { ...daily, said, created: made.created, updated: undefined })
        assert.deepStrictEqual(yield* limits.get(scope, daily), made)
        yield* TestClock.adjust(5)
        const changed = yield* limits.put(scope, daily, { overrides: { ada: 1 } })
        assert.deepStrictEqual(changed, {
          ...daily,
          said: { overrides: { ada: 1 } },
          created: made.created,
          updated: made.created + 5
        })
        assert.deepStrictEqual(yield* limits.get(scope, daily), changed)
      }))

    it.effect("all of an environment are listed by name, and what was removed is gone, at once also for messages", () =>
      Effect.gen(function*() {
        const { limits, scope } = yield* start
        assert.deepStrictEqual(yield* limits.installed(scope), [])
        const ofUsers = yield* limits.put(scope, daily, { limit: 3 })
        const ofTenants = yield* limits.put(scope, hourly, { limit: 0 })
        assert.deepStrictEqual(yield* limits.list(scope), [ofTenants, ofUsers])
        assert.deepStrictEqual(yield* limits.installed(scope), [ofTenants, ofUsers])
        yield* limits.remove(scope, hourly)
        assert.deepStrictEqual(yield* limits.installed(scope), [ofUsers])
        assert.strictEqual((yield* Effect.flip(limits.remove(scope, hourly)))._tag, "SendLimitNotFound")
        assert.strictEqual((yield* Effect.flip(limits.get(scope, hourly)))._tag, "SendLimitNotFound")
      }))

    it.effect("P10: environments do not share them", () =>
      Effect.gen(function*() {
        const { limits, scope } = yield* start
        const elsewhere = yield* start
        yield* limits.put(scope, daily, { limit: 3 })
        assert.deepStrictEqual(yield* limits.installed(elsewhere.scope), [])
        assert.strictEqual((yield* Effect.flip(limits.get(elsewhere.scope, daily)))._tag, "SendLimitNotFound")
        assert.strictEqual((yield* Effect.flip(limits.remove(elsewhere.scope, daily)))._tag, "SendLimitNotFound")
        assert.strictEqual((yield* limits.get(scope, daily)).said.limit, 3)
      }))
  })
