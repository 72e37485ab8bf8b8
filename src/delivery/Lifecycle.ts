import { Status } from "#schemas/Status.ts"
import { Schema } from "effect"

/** What can happen to a message. Only this table turns it into a status (P6). */
export const Event = Schema.Literals([
  "Delay",
  "Due",
  "Route",
  "Send",
  "Deliver",
  "Open",
  "Click",
  "Bounce",
  "Undeliver",
  "Unroute",
  "Unmap",
  "Filter",
  "Throttle",
  "Digest",
  "Cancel"
])
export type Event = typeof Event.Type

const ends = {
  Undeliver: "UNDELIVERABLE",
  Unroute: "UNROUTABLE",
  Unmap: "UNMAPPED",
  Filter: "FILTERED",
  Throttle: "THROTTLED",
  Digest: "DIGESTED",
  Cancel: "CANCELED"
} as const satisfies Partial<Record<Event, Status>>

/** A provider's callback may overtake the settle of its own attempt, so evidence moves any message that was routed. */
const evidence = {
  Deliver: "DELIVERED",
  Open: "OPENED",
  Click: "CLICKED",
  Bounce: "UNDELIVERABLE"
} as const satisfies Partial<Record<Event, Status>>

const table: Record<Status, Partial<Record<Event, Status>>> = {
  ENQUEUED: { ...ends, Delay: "DELAYED", Route: "ROUTED", Send: "SENT" },
  DELAYED: { ...ends, Due: "ENQUEUED" },
  ROUTED: { ...ends, ...evidence, Send: "SENT" },
  SENT: evidence,
  DELIVERED: { Open: "OPENED", Click: "CLICKED", Bounce: "UNDELIVERABLE" },
  OPENED: { Click: "CLICKED" },
  CLICKED: {},
  DIGESTED: { Cancel: "CANCELED" },
  THROTTLED: {},
  FILTERED: {},
  CANCELED: {},
  UNMAPPED: {},
  UNROUTABLE: {},
  UNDELIVERABLE: {}
}

/**
 * The status after an event; the same status where the table has no edge (api.md 26.2: a late lower event never lowers
 * it).
 */
export const next = (status: Status, event: Event): Status => table[status][event] ?? status

/** Whether the event has an edge from this status. */
export const allows = (status: Status, event: Event): boolean => table[status][event] !== undefined

/** The status that a run of events leads to; each event has one, whatever the status before. */
export const target = (events: ReadonlyArray<Event>): Status | undefined => {
  const last = events.at(-1)
  return last === undefined ? undefined : targets[last]
}

/** An open message still has a step to take: it is in an owner's hands or has a time at which it will be. */
export const isOpen = (status: Status): boolean => status === "ENQUEUED" || status === "DELAYED" || status === "ROUTED"

/** A receipt has told that the recipient has it. */
export const isHeardOf = (status: Status): boolean =>
  status === "DELIVERED" || status === "OPENED" || status === "CLICKED"

const targets: Record<Event, Status> = {
  ...ends,
  ...evidence,
  Delay: "DELAYED",
  Due: "ENQUEUED",
  Route: "ROUTED",
  Send: "SENT"
}

/** The statuses from which these events, one after the other, lead somewhere: what a status write compares in SQL. */
export const sources = (events: ReadonlyArray<Event>): ReadonlyArray<Status> =>
  Status.literals.filter((status) =>
    events.every((event, index) => allows(events.slice(0, index).reduce(next, status), event))
  )

/** The other statuses. */
export const barred = (events: ReadonlyArray<Event>): ReadonlyArray<Status> => {
  const open = new Set(sources(events))
  return Status.literals.filter((status) => !open.has(status))
}
