import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import { InFlight } from "#src/fibers/InFlight.ts"
import { Cause, Clock, Duration, Effect, Latch } from "effect"

interface Call {
  /** Monotonic ns. */
  readonly until: bigint
  readonly giveUp: () => void
}

/**
 * Fails once patience is over, also for a statement on a silent connection, whose own interruption waits 5 s more for its cancellation:
 * that goes on in the background, in the scope in which this was made. All calls share one timer, which runs while there are any: it waits
 * for the oldest.
 */
export const within = Effect.fnUntraced(function*(patience: Duration.Input) {
  const fork = yield* Fibers.make
  const clock = yield* Clock.Clock
  const nanos = BigInt(Duration.toMillis(patience)) * 1_000_000n
  const silence = `no answer within ${Duration.toSeconds(patience)} s`
  const calls = new InFlight<Call>()
  const called = Latch.makeUnsafe()

  const watch = Effect.gen(function*() {
    yield* called.await
    const { oldest } = calls
    if (oldest === undefined) return Latch.closeUnsafe(called)
    const left = oldest.value.until - clock.monotonicTimeNanosUnsafe()
    if (left > 0n) return yield* clock.sleep(Duration.nanos(left))
    calls.delete(oldest)
    oldest.value.giveUp()
  })
  yield* Effect.forkScoped(Effect.forever(watch))

  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Cause.TimeoutError | E, R> =>
    Effect.flatMap(
      fork(effect),
      (fiber) =>
        fiber.pollUnsafe() ?? Effect.callback<A, Cause.TimeoutError | E>((resume) => {
          const call = calls.add({
            until: clock.monotonicTimeNanosUnsafe() + nanos,
            giveUp: () => {
              resume(Effect.fail(new Cause.TimeoutError(silence)))
              fiber.interruptUnsafe()
            }
          })
          Latch.openUnsafe(called)
          fiber.addObserver((exit) => {
            calls.delete(call)
            resume(exit)
          })
          return Effect.sync(() => {
            calls.delete(call)
            fiber.interruptUnsafe()
          })
        })
    )
})

/**
 * The same, for what a loop or a message waits for: the store does not answer. A host that vanished resets no connection, and what is asked of
 * it hangs until the operating system gives up, a quarter of an hour later.
 */
export const asking = Effect.fnUntraced(function*(patience: Duration.Input) {
  const patiently = yield* within(patience)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.catch(
      patiently(effect),
      (error) => Effect.fail(Cause.isTimeoutError(error) ? new StoreUnavailable({ cause: error }) : error)
    )
})

/** What the database has not said within this time, it does not say (reliability.md 2.6: a 503 within 2.5 s). */
export const callers = "2 seconds"
