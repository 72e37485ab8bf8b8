import type { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { Journal, Step, StepResult } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Cause, Duration, Effect, Exit, Result, Schedule } from "effect"

/**
 * Writes a step of a message; waits out an unavailable store, so an outcome once known is not lost while its owner
 * lives. A message that it closes is counted as settled.
 */
export type Write = (step: Step) => Effect.Effect<StepResult>

/** 50 ms doubling to 2 s, for as long as it takes (reliability.md 2.6). */
const patience = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced(Duration.seconds(2))])

const isUnavailable = (error: unknown): boolean => error instanceof StoreUnavailable

/** Whether the answer is known already, so that nothing has to be retried. */
const isAnswer = <A, E>(ask: Effect.Effect<A, E>): ask is Exit.Success<A> => Exit.isExit(ask) && Exit.isSuccess(ask)

/**
 * Asks the store until it answers. Any failure but `StoreUnavailable` is a defect, which becomes that message's settle.
 * The schedule is only set up after a failure: on the way that every message takes it would cost more than the call.
 */
export const patiently = <A, E>(ask: Effect.Effect<A, E>): Effect.Effect<A> =>
  isAnswer(ask) ? ask : Effect.catchCause(ask, (cause) => {
    const error = Cause.findError(cause)
    if (Result.isFailure(error)) return Effect.failCause(error.failure)
    return isUnavailable(error.success)
      ? Effect.orDie(Effect.retry(Effect.delay(ask, "50 millis"), { schedule: patience, while: isUnavailable }))
      : Effect.die(error.success)
  })

const counted = (result: StepResult): Effect.Effect<void> =>
  result._tag === "Written" && result.stirred === undefined
    ? Metrics.update(Metrics.settled({ status: result.status }), 1)
    : Effect.void

/** `firsts`: lets the first step of a message that is not stored yet go into the message's own commit. */
export const make = (journal: Journal["Service"], firsts?: FirstSteps["Service"]): Write => (step) => {
  const first = firsts?.of(step)
  const written = first === undefined
    ? patiently(journal.record(step))
    : Effect.flatMap(first, (result) => result === undefined ? patiently(journal.record(step)) : Effect.succeed(result))
  return step.dueAt === null ? Effect.tap(written, counted) : written
}

/**
 * Writes the step that closes a message. If the second door (`Journal.observe`) has moved the message meanwhile, its
 * status may lack the step's edge: then the message is closed as it is, since a refused end would leave its row due for
 * ever. But not one that has the edge: it was not stored yet when its end was refused (`FirstSteps`).
 */
export const close = (write: Write, step: Step): Effect.Effect<StepResult> =>
  Effect.flatMap(write(step), (result) => {
    if (result._tag !== "Refused") return Effect.succeed(result)
    const { at, attempt, epoch, lifecycle, message } = step
    const from = Lifecycle.barred(lifecycle)
    return write({ message, epoch, at, attempt, lifecycle: [], conditional: true, from, dueAt: null, events: [] })
  })
