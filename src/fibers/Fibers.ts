import { InFlight } from "#src/fibers/InFlight.ts"
import { Effect, Fiber } from "effect"

/**
 * Makes a function that forks fibers into the scope in which this was made: when the scope closes, it interrupts them
 * and waits for their ends. A fork starts at once. Same as `Effect.forkIn`, but for effects that are forked thousands
 * of times a second (see `InFlight`).
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
