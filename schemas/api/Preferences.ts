import { Conflict, NotFound } from "#schemas/api/Errors.ts"
import { IsoTime } from "#schemas/api/IsoTime.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Id, Reference } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { PatchOperation } from "#schemas/PatchOperation.ts"
import {
  mostSections,
  mostTopics,
  PreferenceChannel,
  PreferenceEntry,
  PreferenceStatus,
  WrittenPreferences,
  WrittenSection,
  WrittenTopic
} from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const success = Schema.Struct({ status: Schema.Literal("SUCCESS") })

/** How a user gets a notification: unless they opt out, only if they opt in, or in any case. */
const Config = Schema.Struct({ type: Schema.Literals(["OPT_IN", "OPT_OUT", "REQUIRED"]) })

const Item = Schema.Struct({ id: Schema.String, title: Schema.String, config: Config }).annotate({
  title: "PreferenceItem"
})

/** The sections and topics, in the form of the legacy calls. */
export const Configuration = Schema.Struct({
  uncategorized: Schema.Array(Item),
  categories: Schema.Array(Schema.Struct({ ...Item.fields, notifications: Schema.Array(Item) }))
})
export type Configuration = typeof Configuration.Type

/** Times in ISO 8601. */
export const TopicResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: maybe(Schema.String),
  default_status: PreferenceStatus,
  routing_options: Schema.Array(PreferenceChannel),
  allowed_preferences: Schema.Array(Schema.Literals(["snooze", "channel_preferences"])),
  include_unsubscribe_header: Schema.Boolean,
  topic_data: JsonMap,
  created: IsoTime,
  updated: IsoTime,
  creator: Schema.String,
  updater: Schema.String
}).annotate({ title: "Topic" })
export type TopicResponse = typeof TopicResponse.Type

/** Times in ISO 8601; the topics oldest first. */
export const SectionResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: maybe(Schema.String),
  has_custom_routing: Schema.Boolean,
  routing_options: Schema.Array(PreferenceChannel),
  topics: Schema.Array(TopicResponse),
  created: IsoTime,
  updated: maybe(IsoTime),
  creator: Schema.String,
  updater: maybe(Schema.String)
}).annotate({ title: "Section" })
export type SectionResponse = typeof SectionResponse.Type

/** `published_version`: epoch ms, but always higher than the one before. */
export const PublishedResponse = Schema.Struct({
  page_id: Schema.String,
  published_at: IsoTime,
  published_version: Schema.Finite,
  published_by: Schema.String
})

const PublishRequest = Schema.Struct({
  brand_id: optional(Reference),
  heading: optional(Schema.String.check(Schema.isMaxLength(512))),
  description: optional(Schema.String.check(Schema.isMaxLength(4_000)))
})

const recipient = { recipient_id: UserId }
const section = { section_id: Id }
const topic = { section_id: Id, topic_id: Id }

export class Preferences extends HttpApiGroup.make("preferences").add(
  HttpApiEndpoint.get("configuration", "/", { success: Configuration })
    .annotate(OpenApi.Summary, "Describe the preferences of the workspace")
    .annotate(OpenApi.Description, "Sections as categories, topics as notifications."),
  HttpApiEndpoint.get("sections", "/sections", { success: Schema.Struct({ results: Schema.Array(SectionResponse) }) })
    .annotate(OpenApi.Summary, "List preference sections")
    .annotate(OpenApi.Description, "All of them with their topics, oldest first."),
  HttpApiEndpoint.post("createSection", "/sections", {
    payload: WrittenSection,
    success: SectionResponse.pipe(HttpApiSchema.status(201))
  })
    .annotate(OpenApi.Summary, "Create a preference section")
    .annotate(OpenApi.Description, `An environment has at most ${mostSections}.`),
  HttpApiEndpoint.get("section", "/sections/:section_id", {
    params: section,
    success: SectionResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get a preference section"),
  HttpApiEndpoint.put("replaceSection", "/sections/:section_id", {
    params: section,
    payload: WrittenSection,
    success: SectionResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace a preference section")
    .annotate(
      OpenApi.Description,
      "Replaces it whole: optional fields that are not sent are cleared. Its topics stay."
    ),
  HttpApiEndpoint.delete("archiveSection", "/sections/:section_id", { params: section, error: [NotFound, Conflict] })
    .annotate(OpenApi.Summary, "Archive a preference section")
    .annotate(OpenApi.Description, "Refused while topics remain in it."),
  HttpApiEndpoint.get("topics", "/sections/:section_id/topics", {
    params: section,
    success: Schema.Struct({ results: Schema.Array(TopicResponse) }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "List the topics of a section")
    .annotate(OpenApi.Description, "All of them, oldest first."),
  HttpApiEndpoint.post("createTopic", "/sections/:section_id/topics", {
    params: section,
    payload: WrittenTopic,
    success: TopicResponse.pipe(HttpApiSchema.status(201)),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Create a topic")
    .annotate(
      OpenApi.Description,
      "It counts for sends at once; publishing is for the hosted page only. It goes through its `routing_options` only, or its section's"
        + " if that one has custom routing; an empty list bounds nothing. `allowed_preferences` that name something withhold the rest from"
        + ` users. An environment has at most ${mostTopics}; archived ones do not count.`
    ),
  HttpApiEndpoint.get("topic", "/sections/:section_id/topics/:topic_id", {
    params: topic,
    success: TopicResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get a topic"),
  HttpApiEndpoint.put("replaceTopic", "/sections/:section_id/topics/:topic_id", {
    params: topic,
    payload: WrittenTopic,
    success: TopicResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace a topic")
    .annotate(OpenApi.Description, "Replaces it whole: optional fields that are not sent are cleared."),
  HttpApiEndpoint.delete("archiveTopic", "/sections/:section_id/topics/:topic_id", { params: topic, error: NotFound })
    .annotate(OpenApi.Summary, "Archive a topic")
    .annotate(OpenApi.Description, "Messages that still name it keep following the preferences that users set for it."),
  HttpApiEndpoint.post("publish", "/publish", {
    payload: [PublishRequest, Schema.Null],
    success: PublishedResponse
  })
    .annotate(OpenApi.Summary, "Publish the preference page")
    .annotate(
      OpenApi.Description,
      "Publishes a copy of all sections and topics for the hosted page, in the look of a brand that exists, of the default one, or of `none`."
    ),
  HttpApiEndpoint.get("recipient", "/:recipient_id", {
    params: recipient,
    success: Schema.Struct({
      notifications: Schema.Record(Schema.String, PreferenceEntry),
      categories: Schema.Record(Schema.String, PreferenceEntry)
    })
  })
    .annotate(OpenApi.Summary, "Get a recipient's preferences"),
  HttpApiEndpoint.put("replaceRecipient", "/:recipient_id", {
    params: recipient,
    payload: WrittenPreferences,
    success
  })
    .annotate(OpenApi.Summary, "Replace a recipient's preferences")
    .annotate(OpenApi.Description, "By notification and category; a record that is not sent is cleared."),
  HttpApiEndpoint.patch("patchRecipient", "/:recipient_id", {
    params: recipient,
    payload: Schema.Struct({ patch: Schema.Array(PatchOperation) }),
    success
  })
    .annotate(OpenApi.Summary, "Patch a recipient's preferences")
    .annotate(OpenApi.Description, "Applies a JSON Patch (RFC 6902) to both records, all operations or none.")
).prefix("/preferences").annotate(OpenApi.Title, "Preferences") {}
