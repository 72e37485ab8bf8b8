import { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import { Rendered } from "#schemas/Rendered.ts"
import { Reason } from "#schemas/Status.ts"
import { LeftOut } from "#schemas/Suppression.ts"
import { Schema } from "effect"

/** The types of a message's timeline (api.md §4, GET /messages/:id/history). */
export const HistoryType = Schema.Literals([
  "ENQUEUED",
  "DELAYED",
  "MAPPED",
  "PROFILE_LOADED",
  "PREFERENCES_RESOLVED",
  "ROUTED",
  "RENDERED",
  "DELIVERING",
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "FILTERED",
  "DIGESTED",
  "THROTTLED",
  "CANCELED",
  "RETRYING",
  "UNMAPPED",
  "UNROUTABLE",
  "UNDELIVERABLE"
]).annotate({ title: "HistoryType" })
export type HistoryType = typeof HistoryType.Type

/** The ids that a send names, or of a topic its template, and that do not exist: the message goes on without them. */
export const Unknown = Schema.Struct({
  tenant: Schema.optionalKey(Schema.String),
  topic: Schema.optionalKey(Schema.String),
  brand: Schema.optionalKey(Schema.String)
})
export type Unknown = typeof Unknown.Type

/**
 * One entry of a message's timeline. `ts` is epoch ms; `attempt` is the number of the attempt that it belongs to. It
 * holds no addresses and payloads (P9): readers join them from the message.
 */
export const HistoryEvent = Schema.Struct({
  type: HistoryType,
  ts: Schema.Finite,
  channel: Schema.optionalKey(Schema.String),
  provider: Schema.optionalKey(Schema.String),
  attempt: Schema.optionalKey(Schema.Int),
  outcome: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Reason),
  error: Schema.optionalKey(Schema.String),
  reference: Schema.optionalKey(Schema.String),
  dueAt: Schema.optionalKey(Schema.Finite),
  possibleDuplicate: Schema.optionalKey(Schema.Boolean),
  output: Schema.optionalKey(Rendered),
  decision: Schema.optionalKey(PreferenceDecision),
  suppressed: Schema.optionalKey(Schema.Array(LeftOut)),
  unknown: Schema.optionalKey(Unknown)
})
export type HistoryEvent = typeof HistoryEvent.Type
