import { Unavailable } from "#schemas/DeliveryError.ts"
import * as Breakers from "#src/delivery/attempts/Breakers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const failing = Effect.fail(new Unavailable({ detail: "down" }))

describe("Breakers", () => {
  for (const away of ["1 minute", "1 day"] as const) {
    it.effect(`a provider that answers again after ${away} is no longer left alone`, () =>
      Effect.gen(function*() {
        const { guard, openUntil } = yield* Breakers.Breakers
        yield* TestClock.adjust(1)
        for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
        yield* TestClock.adjust(1)
        assert.isDefined(openUntil("key"))
        yield* TestClock.adjust(away)
        yield* guard("key", Effect.void)
        yield* TestClock.adjust(1)
        assert.isUndefined(openUntil("key"))
      }).pipe(Effect.provide(Breakers.layer)))
  }

  it.effect("while one call finds out, the others are told when to look again; if it is cut, the next one finds out", () =>
    Effect.gen(function*() {
      const { guard, openUntil } = yield* Breakers.Breakers
      yield* TestClock.adjust(1)
      for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
      yield* TestClock.adjust("1 minute")
      const asking = yield* Effect.forkChild(guard("key", Effect.never))
      for (const [after, wait] of [[1_000, 5_000], [9_000, 10_000], [20_000, 30_000]] as const) {
        yield* TestClock.adjust(after)
        assert.strictEqual((openUntil("key") ?? 0) - (yield* Clock.currentTimeMillis), wait)
      }
      yield* Fiber.interrupt(asking)
      assert.isAtMost(openUntil("key") ?? 0, yield* Clock.currentTimeMillis)
      yield* guard("key", Effect.void)
      yield* TestClock.adjust(1)
      assert.isUndefined(openUntil("key"))
    }).pipe(Effect.provide(Breakers.layer)))

  it.effect("of providers that never get well, the ones unheard of for longest are forgotten", () =>
    Effect.gen(function*() {
      const { guard, openUntil } = yield* Breakers.Breakers
      yield* TestClock.adjust(1)
      for (let call = 0; call < 6; call++) yield* Effect.exit(guard("key", failing))
      yield* TestClock.adjust(1)
      assert.isDefined(openUntil("key"))
      for (let other = 0; other < 8_192; other++) yield* Effect.exit(guard(`other ${other}`, failing))
      assert.isUndefined(openUntil("key"))
    }).pipe(Effect.provide(Breakers.layer)))

  it.effect("a provider that fails again is not forgotten before those that were heard of earlier", () =>
    Effect.gen(function*() {
      const { guard, openUntil } = yield* Breakers.Breakers
      yield* TestClock.adjust(1)
      for (let call = 0; call < 5; call++) yield* Effect.exit(guard("key", failing))
      for (let other = 1; other < 8_192; other++) yield* Effect.exit(guard(`other ${other}`, failing))
      yield* TestClock.adjust("1 minute")
      yield* Effect.exit(guard("key", failing))
      yield* Effect.exit(guard("one more", failing))
      yield* TestClock.adjust(1)
      assert.isDefined(openUntil("key"))
    }).pipe(Effect.provide(Breakers.layer)))
})
