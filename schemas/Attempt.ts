import { Kind } from "#schemas/DeliveryError.ts"
import { Schema } from "effect"

/**
 * One call to a provider (P4). Its row is written as `intent` before the call, and gets its outcome after it. If a new
 * owner finds a row that is still `intent`, its outcome is unknown. `number` counts from 1 within the message. Times in
 * epoch ms; `retryAfter` in ms. An `accepted` attempt of kind `RecipientRejected` was accepted by the provider and
 * bounced later. A `rejected` one without a kind was not made after all: it counts for nothing.
 */
export const Attempt = Schema.Struct({
  number: Schema.Int,
  channel: Schema.String,
  provider: Schema.String,
  state: Schema.Literals(["intent", "accepted", "rejected", "unknown"]),
  kind: Schema.NullOr(Kind),
  startedAt: Schema.Number,
  endedAt: Schema.NullOr(Schema.Number),
  retryAfter: Schema.NullOr(Schema.Number),
  reference: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type
