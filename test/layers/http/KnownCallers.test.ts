import { KnownCallers, layer } from "#layers/http/KnownCallers.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Principal } from "#src/access/ApiKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { settable } from "#test/support/SettableClock.ts"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const principal: Principal = { scope: Scope.make(1), keyState: "published" }

describe("KnownCallers", () => {
  it.effect("a header is known for 30 s, and none but that one", () =>
    Effect.gen(function*() {
      const callers = yield* KnownCallers
      callers.keep("Bearer a", principal)
      yield* TestClock.adjust(29_999)
      assert.strictEqual(callers.find("Bearer a"), principal)
      for (const other of [undefined, "", "Bearer", "bearer a", "Bearer a ", "Bearer aa"]) {
        assert.strictEqual(callers.find(other), undefined)
      }
      yield* TestClock.adjust(1)
      assert.strictEqual(callers.find("Bearer a"), undefined)
    }).pipe(Effect.provide(layer)))

  it.effect("a header is known for 30 s whatever the clock is set to meanwhile", () =>
    Effect.gen(function*() {
      const { set, tick, clock } = settable(1_000_000_000_000)
      const callers = yield* Effect.provide(KnownCallers, Layer.fresh(layer)).pipe(
        Effect.provideService(Clock.Clock, clock)
      )
      for (const to of [0, 1, 2_000_000_000_000]) {
        callers.keep("Bearer a", principal)
        set(to)
        tick(29_999)
        assert.strictEqual(callers.find("Bearer a"), principal)
        tick(1)
        assert.strictEqual(callers.find("Bearer a"), undefined)
      }
    }))

  it.effect("a header that is longer than any key is not remembered", () =>
    Effect.gen(function*() {
      const callers = yield* KnownCallers
      for (const length of [1_024, 1_025]) callers.keep("a".repeat(length), principal)
      assert.strictEqual(callers.find("a".repeat(1_024)), principal)
      assert.strictEqual(callers.find("a".repeat(1_025)), undefined)
    }).pipe(Effect.provide(layer)))

  it.effect("there are never more of them than 10,000", () =>
    Effect.gen(function*() {
      const callers = yield* KnownCallers
      for (let n = 0; n <= 10_000; n++) callers.keep(`Bearer ${n}`, principal)
      const known = Array.from({ length: 10_001 }, (_, n) => callers.find(`Bearer ${n}`)).filter((found) => found)
      assert.isAtMost(known.length, 10_000)
      assert.strictEqual(callers.find("Bearer 10000"), principal)
    }).pipe(Effect.provide(layer)))
})
