import { maybe } from "#schemas/api/Maybe.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import { Action } from "#schemas/Rendered.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/** A message as the in-app inbox shows it. Times in epoch ms. */
export const InboxItem = Schema.Struct({
  messageId: MessageId,
  title: Schema.String,
  body: Schema.String,
  actions: Schema.Array(Action),
  tenantId: maybe(Schema.String),
  created: Schema.Int,
  expires: maybe(Schema.Int)
}).annotate({ title: "InboxItem" })
export type InboxItem = typeof InboxItem.Type

export class Inbox extends HttpApiGroup.make("inbox").add(
  HttpApiEndpoint.get("list", "/", {
    params: { user_id: UserId },
    query: { cursor: Query.Text, limit: Query.Limit },
    success: Results(InboxItem)
  })
    .annotate(OpenApi.Summary, "List a user's in-app inbox")
    .annotate(OpenApi.Description, "What the in-app channel delivered to the user, newest first.")
).prefix("/users/:user_id/inbox").annotate(OpenApi.Title, "Inbox") {}
