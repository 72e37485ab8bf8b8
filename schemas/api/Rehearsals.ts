import { PreferenceChannel } from "#schemas/Preferences.ts"
import { PlanNode } from "#schemas/api/Explain.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { OutputContent } from "#schemas/api/Messages.ts"
import { Reference } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import { Recipient } from "#schemas/Recipient.ts"
import { Reason, Status } from "#schemas/Status.ts"
import { LeftOut } from "#schemas/Suppression.ts"
import { Snapshot } from "#schemas/Template.ts"
import { Schema } from "effect"

/** What a provider would be given to send; `error` says why there is nothing. */
export const Shown = Schema.Struct({
  channel: Schema.String,
  channel_id: Schema.String,
  provider: Schema.String,
  content: maybe(OutputContent),
  error: maybe(Schema.String)
}).annotate({ title: "RenderedOutput" })
export type Shown = typeof Shown.Type

/**
 * The answer to a send with `Tidings-Dry-Run: true`: for each recipient what would become of its message if every
 * provider accepted. `unknown_tenant`, `unknown_topic` and `unknown_brand` are the ids of what the send names,
 * or of a topic its template, and does not exist: it would go on without. Times in epoch ms.
 */
export const DryRunResponse = Schema.Struct({
  dry_run: Schema.Literal(true),
  results: Schema.Array(Schema.Struct({
    recipient: Schema.String,
    status: Status,
    reason: maybe(Reason),
    error: maybe(Schema.String),
    due_at: maybe(Schema.Finite),
    preferences: maybe(PreferenceDecision),
    suppressed: maybe(Schema.Array(LeftOut)),
    unknown_tenant: maybe(Schema.String),
    unknown_topic: maybe(Schema.String),
    unknown_brand: maybe(Schema.String),
    plan: maybe(PlanNode),
    outputs: Schema.Array(Shown)
  }))
}).annotate({ title: "DryRun" })
export type DryRunResponse = typeof DryRunResponse.Type

/** The channels in which a template can be looked at: those of preferences, and the banner, which is no choice. */
export const PreviewedChannel = Schema.Literals([...PreferenceChannel.literals, "banner"])
export type PreviewedChannel = typeof PreviewedChannel.Type

/**
 * A recipient, data and brand to render a template with. Without `version` its draft is rendered, without `channels`
 * every channel.
 */
export const PreviewRequest = Schema.Struct({
  version: optional(Snapshot),
  to: optional(Recipient),
  data: optional(JsonMap),
  brand_id: optional(Reference),
  channels: optional(Schema.Array(PreviewedChannel).check(Schema.isMaxLength(20)))
})

export const PreviewResponse = Schema.Struct({ results: Schema.Array(Shown) })
