import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import * as AudienceUpkeep from "#src/people/AudienceUpkeep.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

const away = new StoreUnavailable({ cause: "away" })

/** The upkeep over steps that answer from this script, and then that nothing is left to do. */
const kept = Effect.fnUntraced(function*(script: ReadonlyArray<Effect.Effect<boolean, StoreUnavailable>>) {
  const heard: Array<unknown> = []
  let steps = 0
  const advance = Effect.suspend(() => script[steps++] ?? Effect.succeed(false))
  const built = yield* Layer.build(
    AudienceUpkeep.layer.pipe(
      Layer.provide(Layer.mock(AudienceSteps, { advance })),
      Layer.provideMerge(Logger.layer([Logger.make(({ message }) => heard.push(message))]))
    )
  )
  yield* TestClock.adjust(0)
  return {
    steps: () => steps,
    heard,
    wake: Effect.andThen(
      Effect.provideContext(AudienceUpkeep.AudienceUpkeep.use((upkeep) => upkeep.wake), built),
      TestClock.adjust(0)
    )
  }
})

describe("AudienceUpkeep", () => {
  it.effect("steps at once when it starts and when it is woken, for as long as there is more to do", () =>
    Effect.gen(function*() {
      const more = Effect.succeed(true)
      const { steps, wake } = yield* kept([more, more, Effect.succeed(false), more])
      assert.strictEqual(steps(), 3)
      yield* wake
      assert.strictEqual(steps(), 5)
    }))

  it.effect("looks again soon after it found something, for what was written at the same time and not announced", () =>
    Effect.gen(function*() {
      const more = Effect.succeed(true)
      const none = Effect.succeed(false)
      const { steps } = yield* kept([more, none, more, none])
      assert.strictEqual(steps(), 2)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(steps(), 4)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(steps(), 5)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(steps(), 5)
    }))

  it.effect("finds by itself, every few seconds, what a crash has left", () =>
    Effect.gen(function*() {
      const { steps } = yield* kept([])
      assert.strictEqual(steps(), 1)
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(steps(), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(steps(), 2)
    }))

  it.effect("a store that is away is asked again, ever less often, told of once, and found again", () =>
    Effect.gen(function*() {
      const { heard, steps } = yield* kept(Array.from({ length: 12 }, () => Effect.fail(away)))
      yield* TestClock.adjust("1 minute")
      assert.isAbove(steps(), 12)
      assert.lengthOf(heard, 2)
      assert.include(String(heard[0]), "cannot keep audiences in step")
      assert.include(String(heard[1]), "again")
    }))

  it.effect("a step that crashes is told of, and the next ones are taken", () =>
    Effect.gen(function*() {
      const { heard, steps, wake } = yield* kept([Effect.die("a bug"), Effect.die("a bug")])
      yield* wake
      yield* wake
      assert.strictEqual(steps(), 3)
      assert.lengthOf(heard, 2)
    }))

  it.effect("however often it is woken while it steps, one more step finds all of it", () =>
    Effect.gen(function*() {
      const end = yield* Latch.make()
      const { steps, wake } = yield* kept([Effect.as(end.await, false)])
      yield* Effect.replicateEffect(wake, 5)
      assert.strictEqual(steps(), 1)
      yield* end.open
      // Each is time for a step or two.
      yield* Effect.replicateEffect(TestClock.adjust(100), 20)
      assert.strictEqual(steps(), 2)
    }))

  it.effect("a store that stays away is asked every 5 s at most in the end", () =>
    Effect.gen(function*() {
      const { steps } = yield* kept(Array.from({ length: 1_000 }, () => Effect.fail(away)))
      yield* TestClock.adjust("1 minute")
      const before = steps()
      assert.isAtMost(before, 20)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(steps() - before, 12)
    }))
})
