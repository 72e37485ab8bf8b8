import { Content } from "#schemas/Elemental.ts"
import { Id, Reference } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { ChannelSettings, ProviderSettings, Routing, Timeout } from "#schemas/Routing.ts"
import { Schema } from "effect"

const Timeouts = Schema.Union([Timeout, Schema.Record(Schema.String, Timeout)])

/** Free labels of one message; at most 9 tags of at most 30 characters (api.md §3). */
export const Metadata = Schema.Struct({
  event: optional(Schema.String),
  tags: optional(Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(30))).check(Schema.isMaxLength(9))),
  trace_id: optional(Reference.check(Schema.isMaxLength(200))),
  utm: optional(JsonMap)
}).annotate({ title: "MessageMetadata" })

/** How long a message, each of its channels and each provider may take, in ms; `criteria`: until what it escalates. */
const MessageTimeout = Schema.Struct({
  message: optional(Timeout),
  channel: optional(Timeouts),
  provider: optional(Timeouts),
  escalation: optional(Timeout),
  criteria: optional(Schema.Literals(["no-escalation", "delivered", "viewed", "engaged"]))
}).annotate({ title: "MessageTimeout" })

/** `message` of POST /send without its recipients: what is to be sent, and how (api.md §3). Durations in ms. */
export const Instructions = Schema.Struct({
  template: optional(Id),
  content: optional(Content),
  data: optional(JsonMap),
  tenant_id: optional(Schema.NonEmptyString),
  context: optional(Schema.Struct({ tenant_id: optional(Schema.NonEmptyString) })),
  brand_id: optional(Reference),
  routing: optional(Routing),
  channels: optional(Schema.Record(Schema.String, ChannelSettings)),
  providers: optional(Schema.Record(Schema.String, ProviderSettings)),
  metadata: optional(Metadata),
  preferences: optional(Schema.Struct({ subscription_topic_id: Reference })),
  delay: optional(Schema.Struct({
    duration: optional(
      Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0), Schema.isLessThanOrEqualTo(31_622_400_000))
    ),
    until: optional(Schema.String),
    timezone: optional(Schema.String)
  })),
  expiry: optional(JsonMap),
  timeout: optional(MessageTimeout),
  /** An older name of `timeout` (api.md §3), which `OlderNames` replaces before anything is stored. */
  timeouts: optional(MessageTimeout)
})
export type Instructions = typeof Instructions.Type

/** `message` of POST /send. */
export const SendMessage = Schema.Struct({
  to: Schema.Union([Schema.Array(Recipient), Recipient]),
  ...Instructions.fields
}).annotate({ title: "SendMessage" })
export type SendMessage = typeof SendMessage.Type
