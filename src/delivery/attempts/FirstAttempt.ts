import type { Attempt } from "#schemas/Attempt.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Now from "#src/fibers/Now.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Effect } from "effect"

/** Counts how long a message that was due at once has waited, if this is its first attempt. */
export const begins = ({ dueAt, enqueuedAt }: OpenMessage, { number }: Attempt): Effect.Effect<void> =>
  number !== 1 || dueAt !== 0
    ? Effect.void
    : Effect.flatMap(
      Now.millis,
      // Who accepted it may have a clock that is a little ahead.
      (now) => Metrics.update(Metrics.acceptToFirstAttempt, Math.max(0, now - enqueuedAt) / 1_000)
    )
