import { Schema } from "effect"

const detail = { detail: Schema.String }

/**
 * `retryAfter`: how long the provider wants to be left alone, in ms. `ofRecipient`: it refuses only this recipient for
 * now, such as one whose mailbox is full; that says nothing of the provider's health.
 */
const later = {
  ...detail,
  retryAfter: Schema.optional(Schema.Number),
  ofRecipient: Schema.optional(Schema.Boolean)
}

/** The provider asks us to slow down. The same provider is tried again later. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", later) {}

/**
 * The provider certainly did not send, and may do so later. The same provider is tried again, then the next one.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", later) {}

/** The provider refuses our credentials or settings. The next provider is tried; the operator must act. */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()("Misconfigured", detail) {}

/** The address is refused, and no other provider would take it. `invalidates`: the address is dead for good. */
export class RecipientRejected extends Schema.TaggedError<RecipientRejected>()("RecipientRejected", {
  ...detail,
  invalidates: Schema.optional(Schema.Boolean)
}) {}

/** The content is refused, and no retry would change that. */
export class ContentRejected extends Schema.TaggedError<ContentRejected>()("ContentRejected", detail) {}

/**
 * Whether the provider sent is unknown. Only this outcome may lead to a second copy, which is then marked as a possible
 * duplicate.
 */
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", detail) {}

/** Every way in which a provider call can fail; each says what is tried next (design.md §5). */
export const DeliveryError = Schema.Union([
  RateLimited,
  Unavailable,
  Misconfigured,
  RecipientRejected,
  ContentRejected,
  Unknown
])
export type DeliveryError = typeof DeliveryError.Type

export const Kind = Schema.Literals([
  "RateLimited",
  "Unavailable",
  "Misconfigured",
  "RecipientRejected",
  "ContentRejected",
  "Unknown"
])
export type Kind = typeof Kind.Type
