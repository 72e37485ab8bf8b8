import type { MessageId } from "#schemas/MessageId.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Effect, Metric } from "effect"

/**
 * A message that was begun this often and never ended is quarantined (design.md §3): UNDELIVERABLE, FAILED, with an
 * error that says so.
 */
export const maxTries = 5

/**
 * The count of a message that crashed its pipeline in its last try. It is set aside when it is read next, with its
 * attempts as they are stored: that try may have made a call.
 */
export const crashed = maxTries + 1

/**
 * From the fourth try on a suspect runs while nothing else does: if the process dies again, it was this message. If
 * suspects ran alone from their second try on, every death of a process would stop all other work, for as long as the
 * slowest call in hand takes, and again for each of thousands of messages.
 */
export const aloneFrom = 4

/** Tells operators of a message that is set aside after so many tries. */
export const tell = (messageId: MessageId, tries: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(Metrics.quarantined, 1), Effect.logError("quarantined", { messageId, tries }))
