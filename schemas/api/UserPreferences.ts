import { AnsweredByLookup } from "#schemas/api/AnsweredByLookup.ts"
import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Paging } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { GroupId, Id } from "#schemas/Id.ts"
import { PreferenceChannel, PreferenceStatus, TopicSetting } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const user = { user_id: UserId }
const topic = { user_id: UserId, topic_id: Id }
const query = { tenant_id: Query.given(GroupId) }

/** What holds for a user and a topic now, and (`default_status`) what would hold if the user had set nothing. */
export const TopicPreference = Schema.Struct({
  topic_id: Schema.String,
  topic_name: Schema.String,
  status: PreferenceStatus,
  default_status: PreferenceStatus,
  has_custom_routing: Schema.Boolean,
  custom_routing: Schema.Array(PreferenceChannel),
  section_id: maybe(Schema.String),
  section_name: maybe(Schema.String)
}).annotate({ title: "TopicPreference" })
export type TopicPreference = typeof TopicPreference.Type

const BulkItem = Schema.Struct({
  topic_id: Id,
  ...TopicSetting.fields,
  status: Schema.Literals(["OPTED_IN", "OPTED_OUT"])
}).annotate({ title: "TopicPreferenceWrite" })

const bulk = (least: number) =>
  Schema.Struct({ topics: Schema.Array(BulkItem).check(Schema.isMinLength(least), Schema.isMaxLength(50)) })

/** What was set of one topic. */
export const BulkResult = Schema.Struct({
  topic_id: Schema.String,
  status: PreferenceStatus,
  has_custom_routing: Schema.Boolean,
  custom_routing: Schema.Array(PreferenceChannel)
}).annotate({ title: "TopicPreferenceSet" })
export type BulkResult = typeof BulkResult.Type

const BulkError = Schema.Struct({ topic_id: Schema.String, reason: Schema.String })

/** Some of the topics cannot be set as asked, and none was set. */
export class TopicsRefused extends Schema.Error<TopicsRefused>("TopicsRefused")({
  message: Schema.String,
  type: Schema.tag("invalid_request_error"),
  errors: Schema.Array(BulkError)
}, {
  httpApiStatus: 400,
  description: "Nothing was set; `errors` says for each refused topic why it cannot be set."
}) {}

export class UserPreferences extends HttpApiGroup.make("userPreferences").add(
  HttpApiEndpoint.get("list", "/", {
    params: user,
    query,
    success: Schema.Struct({ items: Schema.Array(TopicPreference), paging: Paging })
  })
    .annotate(AnsweredByLookup, true)
    .annotate(OpenApi.Summary, "List a user's preferences")
    .annotate(OpenApi.Description, "All topics that the user has set, on one page."),
  HttpApiEndpoint.post("update", "/", {
    params: user,
    query,
    payload: bulk(1),
    success: Schema.Struct({ items: Schema.Array(BulkResult), errors: Schema.Array(BulkError) })
  })
    .annotate(OpenApi.Summary, "Update some of a user's preferences")
    .annotate(OpenApi.Description, "Sets what can be set, and says why the rest cannot; other topics stay."),
  HttpApiEndpoint.put("replace", "/", {
    params: user,
    query,
    payload: bulk(0),
    success: Schema.Struct({ items: Schema.Array(BulkResult), deleted: Schema.Array(Schema.String) }),
    error: TopicsRefused
  })
    .annotate(OpenApi.Summary, "Replace a user's preferences")
    .annotate(OpenApi.Description, "Sets all or none; every other topic returns to its default."),
  HttpApiEndpoint.get("get", "/:topic_id", {
    params: topic,
    query,
    success: Schema.Struct({ topic: TopicPreference }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get a user's preference for a topic")
    .annotate(OpenApi.Description, "If the user has not set it, the default that applies."),
  HttpApiEndpoint.put("put", "/:topic_id", {
    params: topic,
    query,
    payload: Schema.Struct({ topic: TopicSetting }),
    success: Schema.Struct({ message: Schema.Literal("success") }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Set a user's preference for a topic")
    .annotate(OpenApi.Description, "A required topic cannot be opted out of; the status REQUIRED means opted in."),
  HttpApiEndpoint.delete("remove", "/:topic_id", { params: topic, query })
    .annotate(OpenApi.Summary, "Reset a user's preference for a topic")
    .annotate(OpenApi.Description, "To the tenant's or workspace's default.")
).prefix("/users/:user_id/preferences").annotate(OpenApi.Title, "User preferences") {}
