import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"

/** The answer of an effect that by turns asks a store, which takes real time, and waits for the test clock, which is moved on. */
export const waiting = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
  while (fiber.pollUnsafe() === undefined) {
    yield* Effect.promise(() => setTimeout(5))
    yield* TestClock.adjust("1 second")
  }
  return yield* Fiber.join(fiber)
})
