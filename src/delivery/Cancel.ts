import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Effect, Metric } from "effect"

/**
 * Cancels a message that was not yet handed to a provider, and gives its record with `canceled`: whether it is
 * cancelled now, by this call or an earlier one. It is not while a provider call is in flight, nor after one of which
 * nobody knows the outcome (api.md §4).
 */
export const make = Effect.gen(function*() {
  const journal = yield* Journal
  const log = yield* MessageLog
  return Effect.fn("Cancel")(function*(scope: Scope, id: MessageId) {
    const history = { type: "CANCELED", ts: yield* Clock.currentTimeMillis } as const
    const { after, applied } = yield* journal.observe({ scope, id, event: "Cancel", history })
    if (applied) yield* Metric.update(Metrics.settled({ status: after }), 1)
    return { record: yield* log.get(scope, id), canceled: after === "CANCELED" }
  })
})
