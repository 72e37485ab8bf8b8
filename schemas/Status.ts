import { Schema } from "effect"

/** A message's status (spec.md, States and transitions). `src/delivery/Lifecycle` says which may follow which. */
export const Status = Schema.Literals([
  "ENQUEUED",
  "DELAYED",
  "DIGESTED",
  "ROUTED",
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "THROTTLED",
  "FILTERED",
  "CANCELED",
  "UNMAPPED",
  "UNROUTABLE",
  "UNDELIVERABLE"
]).annotate({ title: "MessageStatus" })
export type Status = typeof Status.Type

/** Why a message ended where it did; open-ended on the wire, closed here (spec.md names four, api.md §4 the rest). */
export const Reason = Schema.Literals([
  "BOUNCED",
  "FAILED",
  "FILTERED",
  "NO_CHANNELS",
  "NO_PROVIDERS",
  "OPT_IN_REQUIRED",
  "PROVIDER_ERROR",
  "PROVIDER_OUTCOME_UNKNOWN",
  "UNPUBLISHED",
  "UNSUBSCRIBED"
]).annotate({ title: "MessageReason" })
export type Reason = typeof Reason.Type
