import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { NotFound } from "#schemas/api/Errors.ts"
import { Instant } from "#schemas/api/Instant.ts"
import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { HistoryType } from "#schemas/History.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Rendered } from "#schemas/Rendered.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { message_id: Schema.String }

/** Filters of the list. All that are given must hold; several values of one filter are alternatives, and `tag` and `tags` are one. */
export const MessageFilters = Schema.Struct({
  archived: Query.Flag,
  cursor: Query.Text,
  enqueued_after: Query.given(Instant),
  event: Query.Text,
  limit: Query.Limit,
  list: Query.Text,
  messageId: Query.Text,
  notification: Query.Text,
  provider: Query.Texts,
  recipient: Query.Text,
  status: Query.Texts,
  tag: Query.Texts,
  tags: Query.Texts,
  tenant_id: Query.Text,
  traceId: Query.Text
})
export type MessageFilters = typeof MessageFilters.Type

/** One entry of the timeline: `type`, `ts` in epoch ms, and what its type adds (api.md §4). */
export const HistoryEntry = Schema.StructWithRest(Schema.Struct({ type: HistoryType, ts: Schema.Int }), [
  Schema.Record(Schema.String, Schema.Json)
]).annotate({ title: "HistoryEntry" })
export type HistoryEntry = typeof HistoryEntry.Type

/** The parts of what a channel was given to send; parts that the channel does not use are empty. */
export const OutputContent = Schema.Struct({
  html: Rendered.fields.html,
  subject: Rendered.fields.subject,
  title: Rendered.fields.title,
  body: Rendered.fields.body,
  text: Rendered.fields.text,
  blocks: Rendered.fields.blocks,
  /** Our addition: Slack's blocks or the adaptive card of Teams, as they were sent. */
  native: Rendered.fields.native,
  /** Our addition: into how many parts a text message was cut. */
  segments: Rendered.fields.segments
}).annotate({ title: "OutputContent" })

/** What one channel was given to send. */
export const Output = Schema.Struct({ channel: Schema.String, channel_id: Schema.String, content: OutputContent })
  .annotate({ title: "MessageOutput" })
export type Output = typeof Output.Type

/** The names of the parts that can be read separately. */
export const OutputPartName = Schema.Literals(["html", "title", "body", "subject", "blocks", "text"])
export type OutputPartName = typeof OutputPartName.Type

/** One part: HTML, plain text, or JSON for `blocks`. */
const OutputPart = [
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })),
  Schema.String.pipe(HttpApiSchema.asText()),
  OutputContent.fields.blocks
]

/** The message can no longer be cancelled. The body is its record, with the two fields of an error added. */
export class NotCancelable extends Schema.Error<NotCancelable>("NotCancelable")({
  ...MessageDetails.fields,
  message: Schema.String,
  type: Schema.tag("invalid_request_error")
}, { httpApiStatus: 409, description: "The message can no longer be cancelled; the record tells why." }) {}

export class Messages extends HttpApiGroup.make("messages").add(
  HttpApiEndpoint.get("list", "/", { query: MessageFilters, success: Results(MessageDetails) })
    .annotate(OpenApi.Summary, "List messages")
    .annotate(
      OpenApi.Description,
      "Newest first. Several values of `provider`, `status`, `tag` and `tags` are comma-joined or repeated. A page may hold fewer messages than "
        + "`limit`, or none, while `paging.more` is true: a page looks through stored messages for a second, and `cursor` goes on from there."
    ),
  HttpApiEndpoint.get("get", "/:message_id", { params, success: MessageDetails, error: NotFound })
    .annotate(OpenApi.Summary, "Get a message"),
  HttpApiEndpoint.get("history", "/:message_id/history", {
    params,
    query: { type: Query.given(HistoryType) },
    success: Schema.Struct({ results: Schema.Array(HistoryEntry) }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get a message's timeline")
    .annotate(
      OpenApi.Description,
      "Oldest first. A message goes on without what its send names (of a topic: or its template) and does not exist: `unknown_tenant`, `unknown_topic` and"
        + " `unknown_brand` in PROFILE_LOADED, or where the message ended, are the ids. PROFILE_LOADED has `stored_profile` and"
        + " `merged_profile` for as long as the user's profile does not change, and if it has at most 100,000 characters of JSON; what tenants and device tokens add is not in them."
    ),
  HttpApiEndpoint.get("output", "/:message_id/output", {
    params,
    success: Schema.Struct({ results: Schema.Array(Output) }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get what was rendered")
    .annotate(OpenApi.Description, "One entry per rendered channel; none before rendering."),
  HttpApiEndpoint.get("part", "/:message_id/output/:output_id/:part", {
    params: { ...params, output_id: Schema.String, part: OutputPartName },
    success: OutputPart,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get one part of what was rendered")
    .annotate(
      OpenApi.Description,
      "The part of a rendering to which a RENDERED entry of the timeline points, unchanged. A part that is empty, or has another name, is 404."
    ),
  HttpApiEndpoint.post("cancel", "/:message_id/cancel", {
    params,
    success: MessageDetails,
    error: [NotFound, NotCancelable]
  })
    .annotate(OpenApi.Summary, "Cancel a message")
    .annotate(
      OpenApi.Description,
      "Only for a message that no provider has accepted, or may have accepted without our knowing. A second cancel changes nothing."
    ),
  HttpApiEndpoint.post("resend", "/:message_id/resend", {
    params,
    success: Schema.Struct({ messageId: MessageId }),
    error: NotFound
  })
    .annotate(CommittedByJournal, true)
    .annotate(OpenApi.Summary, "Send a message again")
    .annotate(
      OpenApi.Description,
      "Sends a new message to the same recipient, with the current profile; the original is not changed."
    )
).prefix("/messages").annotate(OpenApi.Title, "Messages") {}
