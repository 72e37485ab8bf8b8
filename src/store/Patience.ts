import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import { InFlight } from "#src/fibers/InFlight.ts"
import { Cause, Clock, Context, Duration, Effect, Latch } from "effect"

interface Call {
  /** Monotonic ns. */
  readonly until: bigint
  readonly giveUp: () => void
}

/** What this process itself does during a call. */
class Work {
  private running = 0
  private wasDone = false

  begin(): void {
    this.running++
  }

  end(): void {
    this.running--
    this.note()
  }

  note(): void {
    this.wasDone = true
  }

  /** Whether some is under way, or was since this was last asked. */
  isSeen(): boolean {
    const { running, wasDone } = this
    this.wasDone = false
    return running > 0 || wasDone
  }
}

/** The work in the current call; absent outside of `within`. */
const CurrentWork = Context.Reference<Work | undefined>("tidings/store/Patience/CurrentWork", {
  defaultValue: () => undefined
})

/**
 * Marks work of this process, which says nothing of the store. Who waits for it (`within`) does not give up meanwhile,
 * nor before the store was silent for `patience` after it; for twice that at most.
 */
export const working = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentWork, (current) =>
    current === undefined ? work : Effect.acquireUseRelease(
      Effect.sync(() => current.begin()),
      () => work,
      () => Effect.sync(() => current.end())
    ))

/**
 * Tells whoever waits (`within`) that the store has just answered a part of what takes long: it is not silent. The wait
 * for the next part is as after `working`.
 */
export const heard: Effect.Effect<void> = Effect.map(CurrentWork, (current) => current?.note())

/**
 * Limits how long the caller of an effect waits: after `patience` the call fails with a `TimeoutError`. That holds even
 * for a statement on a silent connection, whose interruption takes another 5 s for its cancellation: this goes on in
 * the background, in the scope in which this was made. All calls share one timer, which waits for the oldest and runs
 * only while there are calls. Time spent `working`, and until the store was last `heard`, does not count. A call that
 * the store needs longer for by its size is waited for `times` as long.
 */
export const within = Effect.fnUntraced(function*(patience: Duration.Input) {
  const fork = yield* Fibers.make
  const clock = yield* Clock.Clock
  const nanos = BigInt(Duration.toMillis(patience)) * 1_000_000n
  const silence = `no answer within ${Duration.toSeconds(patience)} s`
  const calls = new InFlight<Call>()
  const called = Latch.makeUnsafe()

  /** Gives up the oldest call if its time is over. Not in a generator, which would keep that call alive while it sleeps. */
  const look = Effect.suspend(() => {
    const { oldest } = calls
    if (oldest === undefined) return Effect.sync(() => Latch.closeUnsafe(called))
    const left = oldest.value.until - clock.monotonicTimeNanosUnsafe()
    if (left > 0n) return clock.sleep(Duration.nanos(left))
    calls.delete(oldest)
    return Effect.sync(oldest.value.giveUp)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(called.await, look)))

  return <A, E, R>(effect: Effect.Effect<A, E, R>, times = 1): Effect.Effect<A, Cause.TimeoutError | E, R> =>
    Effect.suspend(() => {
      const work = new Work()
      let waits = times
      return Effect.flatMap(
        fork(Effect.provideService(effect, CurrentWork, work)),
        (fiber) =>
          fiber.pollUnsafe() ?? Effect.callback<A, Cause.TimeoutError | E>((resume) => {
            const wait = () =>
              calls.add({
                until: clock.monotonicTimeNanosUnsafe() + nanos,
                giveUp: () => {
                  if (work.isSeen() || --waits > 0) {
                    call = wait()
                    return
                  }
                  resume(Effect.fail(new Cause.TimeoutError(silence)))
                  fiber.interruptUnsafe()
                }
              })
            let call = wait()
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
})

/**
 * `within`, with `StoreUnavailable` in place of the timeout, for loops and messages that wait for the store. A host
 * that vanished resets no connection: a statement on it hangs until the operating system gives up, a quarter of an hour
 * later.
 */
export const asking = Effect.fnUntraced(function*(patience: Duration.Input) {
  const patiently = yield* within(patience)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
    Effect.catch(
      patiently(effect),
      (error) => Effect.fail(Cause.isTimeoutError(error) ? new StoreUnavailable({ cause: error }) : error)
    )
})

/** How long a caller's read waits for the database (reliability.md 2.6: a 503 within 2.5 s). */
export const callers = "2 seconds"
