import { InFlight } from "#src/fibers/InFlight.ts"
import { type Context, Effect, Fiber } from "effect"

/** The fibers of a scope: when it closes, it interrupts them and waits for their ends. */
const owned = Effect.gen(function*() {
  const running = new InFlight<Fiber.Fiber<unknown, unknown>>()
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.withFiber((closing) => {
      isClosed = true
      return Fiber.interruptAll([...running.values()].filter((fiber) => fiber !== closing))
    })
  )
  return {
    unlessClosed: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => isClosed ? Effect.interrupt : effect),
    keep: <A, E>(fiber: Fiber.Fiber<A, E>): Fiber.Fiber<A, E> => {
      if (fiber.pollUnsafe() !== undefined) return fiber
      const entry = running.add(fiber)
      fiber.addObserver(() => running.delete(entry))
      return fiber
    }
  }
})

/**
 * Makes a function that forks fibers into the scope in which this was made: when the scope closes, it interrupts them
 * and waits for their ends. A fork starts at once. Same as `Effect.forkIn`, but for effects that are forked thousands
 * of times a second (see `InFlight`).
 */
export const make = Effect.map(
  owned,
  ({ keep, unlessClosed }) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Fiber.Fiber<A, E>, never, R> =>
    Effect.map(Effect.forkDetach(unlessClosed(effect), { startImmediately: true }), keep)
)

/** The same for callbacks that no fiber calls: a function that starts an effect in the given context. */
export const runner = Effect.map(
  owned,
  ({ keep, unlessClosed }) =>
  <R>(context: Context.Context<R>) =>
  <A, E>(effect: Effect.Effect<A, E, R>): Fiber.Fiber<A, E> => keep(Effect.runForkWith(context)(unlessClosed(effect)))
)
