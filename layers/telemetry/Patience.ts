import { type Cause, Effect, Fiber, type Scope } from "effect"

/** What the database has not said within this time, it does not say. */
const patience = "2 seconds"

/**
 * Fails once patience is over, also for a statement on a silent connection, whose own interruption waits 5 s more for its cancellation:
 * that goes on in the background, in this scope.
 */
export const within = Effect.map(Effect.scope, (scope: Scope.Scope) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Cause.TimeoutError | E, R> =>
  Effect.flatMap(Effect.forkIn(effect, scope), (fiber) =>
    Fiber.join(fiber).pipe(
      Effect.timeout(patience),
      Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
    )))
