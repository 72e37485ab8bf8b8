import { InFlight } from "#src/fibers/InFlight.ts"
import { Effect, Fiber } from "effect"

/**
 * Forks whose owner is the scope in which this was made: when it closes they are interrupted, and it waits for their ends. What is forked
 * starts at once. It does what `Effect.forkIn` does, for what is forked thousands of times a second (see `InFlight`).
 */
export const make = Effect.gen(function*() {
  const running = new InFlight<Fiber.Fiber<unknown, unknown>>()
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.withFiber((closing) => {
      isClosed = true
      return Fiber.interruptAll([...running.values()].filter((fiber) => fiber !== closing))
    })
  )

  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Fiber.Fiber<A, E>, never, R> =>
    Effect.map(
      Effect.forkDetach(Effect.suspend(() => isClosed ? Effect.interrupt : effect), { startImmediately: true }),
      (fiber) => {
        if (fiber.pollUnsafe() !== undefined) return fiber
        const entry = running.add(fiber)
        fiber.addObserver(() => running.delete(entry))
        return fiber
      }
    )
})
