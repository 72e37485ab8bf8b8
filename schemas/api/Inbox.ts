import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { optional } from "#schemas/Optional.ts"
import { UserId } from "#schemas/Profile.ts"
import { Action } from "#schemas/Rendered.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/**
 * A message as the in-app inbox shows it. Times in epoch ms; `read`, `opened` and `archived` are there since its user did
 * that.
 */
export const InboxItem = Schema.Struct({
  messageId: MessageId,
  title: Schema.String,
  body: Schema.String,
  actions: Schema.Array(Action),
  tenantId: maybe(Schema.String),
  created: Schema.Int,
  expires: maybe(Schema.Int),
  read: maybe(Schema.Int),
  opened: maybe(Schema.Int),
  archived: maybe(Schema.Int)
}).annotate({ title: "InboxItem" })
export type InboxItem = typeof InboxItem.Type

/** What its user did with a message. What it says is not here: whoever may mark it need not be allowed to read it. */
const MarkedItem = Schema.Struct({
  messageId: MessageId,
  read: InboxItem.fields.read,
  opened: InboxItem.fields.opened,
  archived: InboxItem.fields.archived
}).annotate({ title: "InboxMarked" })

const ReadOrNot = Schema.Literals(["read", "unread"])

/** What a user did with an item, or takes back. */
const InboxMark = Schema.Struct({
  read: optional(Schema.Boolean),
  opened: optional(Schema.Literal(true)),
  clicked: optional(Schema.Literal(true)),
  archived: optional(Schema.Boolean)
}).annotate({ title: "InboxMark" })

/** The same of all items that are not archived, or of these only of what is read or what is not. */
const InboxMarks = Schema.Struct({
  status: optional(ReadOrNot),
  read: optional(Schema.Boolean),
  archived: optional(Schema.Literal(true))
}).annotate({ title: "InboxMarks" })

const params = { user_id: UserId }

/** Our addition: browser clients of the compatible service have GraphQL for this (api.md 25.3). */
export class Inbox extends HttpApiGroup.make("inbox").add(
  HttpApiEndpoint.get("list", "/", {
    params,
    query: { status: Query.given(ReadOrNot), archived: Query.Flag, cursor: Query.Text, limit: Query.Limit },
    success: Results(InboxItem)
  })
    .annotate(OpenApi.Summary, "List a user's in-app inbox")
    .annotate(
      OpenApi.Description,
      "What the in-app channel delivered to the user, newest first: what is not archived or, with `archived=true`, what is."
    ),
  HttpApiEndpoint.get("unread", "/unread", {
    params,
    success: Schema.Struct({ unread: Schema.Int }).annotate({ title: "InboxUnread" })
  })
    .annotate(OpenApi.Summary, "Count what a user has not read")
    .annotate(OpenApi.Description, "What is neither read nor archived; 100 stands for as many, or more."),
  HttpApiEndpoint.put("mark", "/:message_id", {
    params: { ...params, message_id: Schema.String },
    payload: InboxMark,
    success: MarkedItem,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Mark a message of the in-app inbox")
    .annotate(
      OpenApi.Description,
      "As read, opened, clicked or archived, or with `false` as not read or not archived any more. Who reads a message has opened it, and who clicks it has read it; it becomes OPENED and CLICKED by that. What is left out stays."
    ),
  HttpApiEndpoint.put("markAll", "/", { params, payload: InboxMarks })
    .annotate(OpenApi.Summary, "Mark all of the in-app inbox")
    .annotate(
      OpenApi.Description,
      "All that is not archived, or of that only what is read or unread. The status of its messages stays."
    )
).prefix("/users/:user_id/inbox").annotate(OpenApi.Title, "Inbox") {}
