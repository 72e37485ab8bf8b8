import { NotFound } from "#schemas/api/Errors.ts"
import { IsoTime } from "#schemas/api/IsoTime.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Items } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { Id } from "#schemas/Id.ts"
import { ListId } from "#schemas/List.ts"
import { optional } from "#schemas/Optional.ts"
import { RecipientPreferences, WrittenPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/** An id that is only looked up need not be a valid `ListId`; one that creates a list must be. */
const params = { list_id: Id }
const made = { list_id: ListId }
const page = { cursor: Query.Text }

export const ListResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  created: IsoTime,
  updated: IsoTime,
  preferences: maybe(RecipientPreferences)
}).annotate({ title: "SubscriptionList" })

const SubscriptionResponse = Schema.Struct({
  recipientId: Schema.String,
  created: IsoTime,
  preferences: maybe(RecipientPreferences)
}).annotate({ title: "ListSubscription" })

const recipients = Schema.Struct({
  recipients: Schema.Array(Schema.Struct({ recipientId: UserId, preferences: optional(WrittenPreferences) }))
})

export class Lists extends HttpApiGroup.make("lists").add(
  HttpApiEndpoint.get("list", "/", { query: { ...page, pattern: Query.Text }, success: Items(ListResponse) })
    .annotate(OpenApi.Summary, "List lists")
    .annotate(
      OpenApi.Description,
      "In the order of their ids. In a pattern `*` stands for one part of an id, `**` at the end for one or more."
    ),
  HttpApiEndpoint.get("get", "/:list_id", { params, success: ListResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a list"),
  HttpApiEndpoint.put("put", "/:list_id", {
    params: made,
    payload: Schema.Struct({ name: Id, preferences: optional(WrittenPreferences) })
  })
    .annotate(OpenApi.Summary, "Create or replace a list")
    .annotate(
      OpenApi.Description,
      "Replaces name and preferences; subscriptions stay. A deleted list is back with its subscriptions."
    ),
  HttpApiEndpoint.delete("remove", "/:list_id", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Delete a list")
    .annotate(OpenApi.Description, "Nothing is sent to it until it is restored."),
  HttpApiEndpoint.put("restore", "/:list_id/restore", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Restore a list")
    .annotate(OpenApi.Description, "Brings a deleted list back with its subscriptions."),
  HttpApiEndpoint.get("subscriptions", "/:list_id/subscriptions", {
    params,
    query: page,
    success: Items(SubscriptionResponse),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "List the subscriptions of a list")
    .annotate(OpenApi.Description, "In the order of the users' ids."),
  HttpApiEndpoint.post("subscribe", "/:list_id/subscriptions", { params: made, payload: recipients })
    .annotate(OpenApi.Summary, "Add subscriptions to a list")
    .annotate(OpenApi.Description, "Those that are there already stay as they are. Creates the list if it is missing."),
  HttpApiEndpoint.put("replaceSubscriptions", "/:list_id/subscriptions", { params: made, payload: recipients })
    .annotate(OpenApi.Summary, "Replace the subscriptions of a list")
    .annotate(OpenApi.Description, "These users and no others. Creates the list if it is missing."),
  HttpApiEndpoint.put("putSubscription", "/:list_id/subscriptions/:user_id", {
    params: { ...made, user_id: UserId },
    payload: [Schema.Struct({ preferences: optional(WrittenPreferences) }), Schema.Null]
  })
    .annotate(OpenApi.Summary, "Subscribe a user to a list")
    .annotate(
      OpenApi.Description,
      "Or replaces the preferences of the subscription. Creates the list if it is missing."
    ),
  HttpApiEndpoint.delete("removeSubscription", "/:list_id/subscriptions/:user_id", {
    params: { ...params, user_id: UserId },
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Unsubscribe a user from a list")
).prefix("/lists").annotate(OpenApi.Title, "Lists") {}
