import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"

/** What an effect answers that asks a store and waits for the clock by turns: each store is given its time, and the clock goes on. */
export const waiting = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
  while (fiber.pollUnsafe() === undefined) {
    yield* Effect.promise(() => setTimeout(5))
    yield* TestClock.adjust("1 second")
  }
  return yield* Fiber.join(fiber)
})
