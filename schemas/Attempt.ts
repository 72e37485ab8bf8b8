import { Kind } from "#schemas/DeliveryError.ts"
import { Schema } from "effect"

/**
 * One call to a provider (P4). The row is written as `intent` before the call and gets its outcome after it; a row still `intent` when a new
 * owner finds it is an unknown outcome. `number` counts from 1 within the message. Times in epoch ms; `retryAfter` in ms. An `accepted` one
 * with the kind `RecipientRejected` was taken by the provider and bounced later.
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
