import { type Cause, type Duration, Effect, Fiber, type Scope } from "effect"

/**
 * Fails once patience is over, also for a statement on a silent connection, whose own interruption waits 5 s more for its cancellation:
 * that goes on in the background, in the scope in which this was made.
 */
export const within = (patience: Duration.Input) =>
  Effect.map(
    Effect.scope,
    (scope: Scope.Scope) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Cause.TimeoutError | E, R> =>
      Effect.flatMap(Effect.forkIn(effect, scope, { startImmediately: true }), (fiber) =>
        Fiber.join(fiber).pipe(
          Effect.timeout(patience),
          Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
        ))
  )

/** What the database has not said within this time, it does not say (reliability.md 2.6: a 503 within 2.5 s). */
export const callers = "2 seconds"
