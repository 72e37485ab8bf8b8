import * as Metrics from "#src/reports/Metrics.ts"
import type { ReceiptEvent } from "#src/reports/Receipts.ts"
import { Effect, Metric } from "effect"

const kinds = ["Deliver", "Open", "Click", "Bounce"] as const

/** What `tidings_receipts_total` grows by, of each kind of event of this provider, from now until it is asked. */
export const grown = Effect.fnUntraced(function*(provider: string) {
  const counts = Effect.forEach(
    kinds,
    (event) => Effect.map(Metric.value(Metrics.receipts({ provider, event })), ({ count }) => Number(count))
  )
  const before = yield* counts
  return Effect.map(counts, (after) => after.map((count, n) => count - (before[n] ?? 0)))
})

/** What it grows by if these are told, in any number. */
export const once = (told: ReadonlyArray<ReceiptEvent>): ReadonlyArray<number> =>
  kinds.map((kind) => told.includes(kind) ? 1 : 0)
