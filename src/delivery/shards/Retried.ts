import { Effect, type Schedule } from "effect"

/**
 * An effect that is tried again as the schedule says. The schedule is only set up after a failure: for an effect that
 * runs often and mostly succeeds, setting it up would cost more than the effect itself.
 */
export const retried = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<unknown, E>
): Effect.Effect<A, E, R> =>
  Effect.catch(effect, (error) => {
    let hasFailed = true
    const next = Effect.suspend(() => {
      if (!hasFailed) return effect
      hasFailed = false
      return Effect.fail(error)
    })
    return Effect.retry(next, schedule)
  })
