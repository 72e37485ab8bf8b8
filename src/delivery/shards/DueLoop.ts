import { retried } from "#src/delivery/shards/Retried.ts"
import { sweepInterval } from "#src/delivery/shards/SweepInterval.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Duration, Effect, Latch, Schedule, type Scope } from "effect"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/** When a loop that looks for what is due looks next. */
export interface DueLoop {
  /** There may be something that no look has seen. */
  readonly wake: () => void
  /** Whether it was woken since the last look began. */
  readonly isWoken: () => boolean
  /** Waits for a wake-up, whatever is due. */
  readonly woken: Effect.Effect<void>
  /** Waits for a wake-up, until the next is due, or for `sweepInterval`. */
  readonly due: Effect.Effect<void>
  /** A look begins. */
  readonly begin: () => void
  /** It has seen that the next is due at this time: epoch ms, `Infinity` if there is nothing. */
  readonly seen: (next: number) => void
  /** Something is due at this time (epoch ms) that a look under way may not see. */
  readonly expect: (dueAt: number) => void
}

export const make = (): DueLoop => {
  const signal = Latch.makeUnsafe()
  let nextDue = Infinity
  let expected = Infinity
  const wake = () => void Latch.openUnsafe(signal)
  return {
    wake,
    isWoken: () => Latch.isOpen(signal),
    woken: signal.await,
    due: Effect.gen(function*() {
      if (Latch.isOpen(signal)) return
      const now = yield* Clock.currentTimeMillis
      const wait = Math.min(sweepInterval, Math.max(0, nextDue - now))
      yield* Effect.raceFirst(signal.await, Effect.sleep(wait))
    }),
    begin: () => {
      Latch.closeUnsafe(signal)
      expected = Infinity
    },
    seen: (next) => {
      nextDue = Math.min(next, expected)
    },
    expect: (dueAt) => {
      expected = Math.min(expected, dueAt)
      if (dueAt >= nextDue) return
      nextDue = dueAt
      wake()
    }
  }
}

/**
 * Runs one round of a loop after the other until the scope closes. `missed` is called after each that did not succeed,
 * and `lost` runs where the store was away: the next round comes as `backoff` says. After a defect, which is logged as
 * `crash`, it comes in a second.
 */
export const run = (
  round: Effect.Effect<void, StoreUnavailable>,
  { crash, lost, missed }: {
    readonly crash: string
    readonly lost: (error: StoreUnavailable) => Effect.Effect<void>
    readonly missed: () => void
  }
): Effect.Effect<void, never, Scope.Scope> => {
  const guarded = round.pipe(Effect.tapError(lost), Effect.tapCause(() => Effect.sync(missed)))
  return retried(guarded, backoff).pipe(
    Effect.catchCause((cause) => Effect.andThen(Effect.logError(crash, cause), Effect.sleep("1 second"))),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
}
