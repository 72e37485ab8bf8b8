import { Schema } from "effect"

const detail = { detail: Schema.String }

/** The provider asks us to slow down: the same provider, later; `retryAfter` in ms. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...detail,
  retryAfter: Schema.optional(Schema.Number)
}) {}

/** It certainly did not send, and may later: the same provider, then the next one. `retryAfter` in ms. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  ...detail,
  retryAfter: Schema.optional(Schema.Number)
}) {}

/** Our credentials or settings are refused: the next provider; the operator must act. */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()("Misconfigured", detail) {}

/** The address is refused: no provider will do better. `invalidates` says that the address is dead for good. */
export class RecipientRejected extends Schema.TaggedError<RecipientRejected>()("RecipientRejected", {
  ...detail,
  invalidates: Schema.optional(Schema.Boolean)
}) {}

/** The content is refused: no retry will do better. */
export class ContentRejected extends Schema.TaggedError<ContentRejected>()("ContentRejected", detail) {}

/** Sent or not: nobody knows. Only this outcome may lead to a second copy, and the copy is marked. */
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", detail) {}

/** Every way in which a provider call can fail, each saying who may try again (design.md §5). */
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
