import { maybe } from "#schemas/api/Maybe.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Reason, Status } from "#schemas/Status.ts"
import { Schema } from "effect"

const time = maybe(Schema.Int)

/** The outcome of a message at one channel and provider. Times in epoch ms. */
export const ProviderDetails = Schema.Struct({
  channel: Schema.Struct({ key: Schema.String, name: Schema.String, template: Schema.String }),
  provider: Schema.String,
  status: Schema.Literals(["CLICKED", "DELIVERED", "OPENED", "SENT", "UNDELIVERABLE"]),
  sent: time,
  delivered: time,
  opened: time,
  clicked: time,
  error: maybe(Schema.String),
  reference: maybe(Schema.Struct({ id: Schema.String }))
}).annotate({ title: "MessageProvider" })
export type ProviderDetails = typeof ProviderDetails.Type

/**
 * A message as callers see it (api.md §4). Times in epoch ms, each the first of its kind. `providers` is present only
 * when a single message is read.
 */
export const MessageDetails = Schema.Struct({
  id: MessageId,
  status: Status,
  enqueued: Schema.Int,
  event: Schema.String,
  notification: Schema.String,
  recipient: Schema.String,
  sent: time,
  delivered: time,
  opened: time,
  clicked: time,
  canceledAt: time,
  reason: maybe(Reason),
  error: maybe(Schema.String),
  requestId: MessageId,
  tenant_id: maybe(Schema.String),
  metadata: Schema.Struct({ tags: Schema.Array(Schema.String), trace_id: maybe(Schema.String) }),
  willRetry: Schema.Boolean,
  archived: Schema.Boolean,
  providers: maybe(Schema.Array(ProviderDetails))
}).annotate({ title: "Message" })
export type MessageDetails = typeof MessageDetails.Type
