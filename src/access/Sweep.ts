import { Idempotency } from "#src/access/Idempotency.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { SendCounts } from "#src/flows/SendCounts.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { Outbox } from "#src/reports/webhooks/Outbox.ts"
import { Effect, Layer, Schedule } from "effect"

/** Rows that one statement deletes: few, so that no request waits for it (reliability.md 2.2). */
const batch = 5_000

const every = (what: string, sweep: (limit: number) => Effect.Effect<number, StoreUnavailable>) =>
  sweep(batch).pipe(
    Effect.repeat({ while: (deleted) => deleted === batch }),
    Effect.catchCause((cause) => Effect.logWarning(`cannot sweep ${what}`, cause)),
    Effect.schedule(Schedule.spaced("10 minutes")),
    Effect.forkScoped
  )

/**
 * Deletes expired idempotency keys, in-app messages, counts of send limits, suppressions, and events of webhooks
 * that are disabled or gone, every ten minutes. All count as absent even before.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const { sweep: keys } = yield* Idempotency
  const { sweep: inbox } = yield* Inbox
  const { sweep: counts } = yield* SendCounts
  const { sweep: suppressions } = yield* Suppressions
  const { sweep: events } = yield* Outbox
  yield* every("idempotency keys", keys)
  yield* every("the in-app inbox", inbox)
  yield* every("the counts of send limits", counts)
  yield* every("suppressed addresses", suppressions)
  yield* every("the events of webhooks", events)
}))
