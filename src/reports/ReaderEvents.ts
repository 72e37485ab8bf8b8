import type { HistoryEvent } from "#schemas/History.ts"
import type { Journal, Observed } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Effect } from "effect"

const types = { Open: "OPENED", Click: "CLICKED" } as const

/** What a reader has done with a message, and `where`, as the line of the timeline says it. */
export interface ReaderEvent extends Pick<Observed, "call" | "id" | "scope"> {
  readonly event: keyof typeof types
  readonly where?: Pick<HistoryEvent, "channel" | "provider">
  /** The same at every repeat, so that only the first counts: readers do it as often as they like, and so do machines. */
  readonly eventId: string
}

/** Notes it. Nothing comes of it if the message is gone. */
export const note = (
  journal: Journal["Service"],
  { event, where, ...observed }: ReaderEvent
): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (ts) => journal.observe({ ...observed, event, history: { type: types[event], ts, ...where } })
  ).pipe(Effect.catchTag("MessageNotFound", () => Effect.void), Effect.asVoid)
