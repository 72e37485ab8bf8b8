import type { HistoryType } from "#schemas/History.ts"
import type { Reason } from "#schemas/Status.ts"
import type { Event } from "#src/delivery/Lifecycle.ts"
import { Data } from "effect"

/** What a stage of the pipeline answers when a message ends there: the table's event, and what a reader is told. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly event: Extract<Event, "Unmap" | "Unroute" | "Filter" | "Throttle" | "Undeliver">
  readonly type: HistoryType
  readonly reason: Reason | undefined
  readonly detail: string
}> {}

export const unmapped = (detail: string, reason?: Reason) =>
  new Refusal({ event: "Unmap", type: "UNMAPPED", reason, detail })

export const unroutable = (reason: Reason, detail: string) =>
  new Refusal({ event: "Unroute", type: "UNROUTABLE", reason, detail })

export const filtered = (detail: string) =>
  new Refusal({ event: "Filter", type: "FILTERED", reason: "FILTERED", detail })

export const undeliverable = (reason: Reason, detail: string) =>
  new Refusal({ event: "Undeliver", type: "UNDELIVERABLE", reason, detail })
