import type { Event } from "#src/delivery/Lifecycle.ts"

/** The columns that keep the first time of an event (api.md §4, MessageDetails). */
export const stamps: ReadonlyArray<readonly [Event, string]> = [
  ["Send", "sent_at"],
  ["Deliver", "delivered_at"],
  ["Open", "opened_at"],
  ["Click", "clicked_at"],
  ["Cancel", "canceled_at"]
]
