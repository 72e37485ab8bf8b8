import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { atOnce, bulk, type End, go, key, plain, refuse, settled, start } from "#test/src/delivery/attempts/AtGate.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"

describe("Who waits at a rate gate", () => {
  it.effect("says so, and waits no longer once its shard is handed over", () =>
    Effect.gen(function*() {
      const handedOver = Latch.makeUnsafe()
      let waiting = 0
      const slots = {
        ...atOnce,
        waits: Effect.sync(() => {
          waiting++
        }),
        handedOver: handedOver.await,
        left: Effect.succeed<End>(["left", 0, false])
      }
      assert.deepStrictEqual(yield* go(bulk, true, slots), ["passed", 0, false])
      yield* refuse()
      const fibers = yield* Effect.replicateEffect(start(bulk, slots), 3)
      assert.strictEqual((yield* go(bulk, true, slots))[0], "away")
      assert.strictEqual(waiting, 3)
      yield* handedOver.open
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), fibers.map(() => ["left", 0, false] as const))
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("makes no room for another where the provider wants to be left alone for longer than anybody waits here", () =>
    Effect.gen(function*() {
      yield* refuse(9_000)
      const front = yield* start()
      yield* refuse(60_000)
      assert.deepStrictEqual(yield* go(bulk, false, atOnce, -1), ["away", 60_005, false])
      assert.isFalse(settled(front))
      yield* Fiber.interrupt(front)
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("has those who are sent away from other gates come back later, as long as somebody waits at its own", () =>
    Effect.gen(function*() {
      const { refused, through } = yield* RateGates.RateGates
      yield* refuse()
      refused("other", 1n, 0)
      const other: RateGates.Attempt<void> = { ...plain(), begin: () => Effect.void, sentAway: () => Effect.void }
      const waits = Effect.forkChild(through("other", bulk, other), { startImmediately: true })
      const [first, ...others] = [yield* waits, yield* waits, yield* waits]
      const fibers = yield* Effect.replicateEffect(start(), 3)
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* go(), ["away", 1_010, false])
      yield* Effect.forEach(others, Fiber.interrupt)
      assert.deepStrictEqual(yield* go(), ["away", 1_015, false])
      yield* Effect.forEach(fibers, Fiber.interrupt)
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("is not overtaken by who comes in the moment in which the next one may pass", () =>
    Effect.gen(function*() {
      const late = yield* Effect.forkChild(Effect.delay(go(), 1_000), { startImmediately: true })
      yield* refuse()
      const front = yield* start()
      yield* TestClock.adjust(1_500)
      assert.deepStrictEqual(yield* Fiber.join(front), ["passed", 1_000, true])
      assert.deepStrictEqual(yield* Fiber.join(late), ["passed", 500, true])
    }).pipe(Effect.provide(RateGates.layer)))
})

describe("A message that has waited for a slot", () => {
  const slot: typeof atOnce.slot = (next) => Effect.delay(Effect.suspend(() => next(true)), 5_000)
  const cases = { "no gate": [], "a gate": [0], "a gate that was opened meanwhile": [1_000] } as const

  for (const [what, refusals] of Object.entries(cases)) {
    it.effect(`may have changed, where there is ${what} too`, () =>
      Effect.gen(function*() {
        const passes = Effect.gen(function*() {
          const waiting = yield* start(bulk, { ...atOnce, slot })
          yield* TestClock.adjust(5_000)
          return yield* Fiber.join(waiting)
        })
        for (const after of refusals) yield* Effect.forkChild(Effect.delay(refuse(), after))
        yield* TestClock.adjust(refusals[0] === 0 ? 2_000 : 0)
        assert.deepStrictEqual(yield* passes, ["passed", 5_000, true])
      }).pipe(Effect.provide(RateGates.layer)))
  }
})

describe("A rate gate", () => {
  it.effect("is none once nobody has waited there for ten minutes", () =>
    Effect.gen(function*() {
      yield* refuse()
      yield* TestClock.adjust(599_999)
      assert.deepStrictEqual(yield* go(), ["passed", 0, false])
      const waits = yield* start()
      assert.isFalse(settled(waits))
      yield* Fiber.interrupt(waits)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(
        yield* Effect.replicateEffect(go(), 100),
        Array.from({ length: 100 }, (): End => ["passed", 0, false])
      )
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("that is opened again after that is the youngest", () =>
    Effect.gen(function*() {
      const { refused } = yield* RateGates.RateGates
      yield* refuse()
      for (let n = 1; n < 8_192; n++) refused(`other ${n}`, 1n, 0)
      yield* TestClock.adjust(600_000)
      yield* refuse()
      refused("one more", 1n, 0)
      assert.isFalse(settled(yield* start()))
    }).pipe(Effect.provide(RateGates.layer)))

  it.effect("hears what is new: refusals and acceptances of calls that it let through after the last one, to the microsecond", () =>
    Effect.gen(function*() {
      const { refused, taken } = yield* RateGates.RateGates
      const since = (millis: number) => BigInt(millis * 1_000) * 1_000n
      assert.isTrue(refused(key, since(0), 0))
      assert.isFalse(refused(key, since(0), 0))
      assert.isTrue(refused(key, since(0.001), 0))
      yield* TestClock.adjust(2_000)
      assert.isFalse(refused(key, since(0), 0))
      // Had it been taken since, the next refusal would show a limit, and calls would pass more slowly.
      taken(key, since(0))
      assert.isTrue(refused(key, since(1_999), 0))
      const fibers = yield* Effect.replicateEffect(start(), 2)
      yield* TestClock.adjust(1_500)
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [["passed", 1_000, true], [
        "passed",
        1_500,
        true
      ]])
    }).pipe(Effect.provide(RateGates.layer)))
})
