import { Effect, Latch, Semaphore } from "effect"

/** Like a read-write lock: `among` runs effects beside each other, `alone` runs one while none of those runs. */
export interface Together {
  readonly among: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly alone: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * For those that run `among` others this costs next to nothing: they only look at a gate, which is closed while an
 * effect is alone or waits to be.
 */
export const make: Effect.Effect<Together> = Effect.sync(() => {
  const gate = Latch.makeUnsafe(true)
  const empty = Latch.makeUnsafe(true)
  const turn = Semaphore.makeUnsafe(1)
  let running = 0

  const among = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let hasEntered = false
      const enter = Effect.suspend(() => {
        if (!Latch.isOpen(gate)) return Effect.andThen(gate.await, among(effect))
        hasEntered = true
        if (running++ === 0) Latch.closeUnsafe(empty)
        return effect
      })
      // A fiber may pause before each step, and be interrupted there: it enters when it cannot but leave.
      return Effect.ensuring(
        enter,
        Effect.sync(() => {
          if (hasEntered && --running === 0) Latch.openUnsafe(empty)
        })
      )
    })

  const alone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    turn.withPermits(1)(
      Effect.acquireUseRelease(
        Effect.sync(() => Latch.closeUnsafe(gate)),
        () => Effect.andThen(empty.await, effect),
        () => Effect.sync(() => Latch.openUnsafe(gate))
      )
    )

  return { among, alone }
})
