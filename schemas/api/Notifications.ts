import { Conflict, NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Paging, Results } from "#schemas/api/Paging.ts"
import { PreviewRequest, PreviewResponse } from "#schemas/api/Rehearsals.ts"
import { RunApart } from "#schemas/api/RunApart.ts"
import * as Query from "#schemas/api/Query.ts"
import { Element } from "#schemas/Elemental.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Alias, Snapshot, Template, TemplateContent, TemplateState } from "#schemas/Template.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { id: Schema.String }
const query = { version: Query.given(Snapshot) }
const state = optional(TemplateState)

/** An `alias` that is left out stays as it is; `null` removes it. */
export const TemplateWrite = Schema.Struct({
  notification: Schema.Struct({ ...Template.fields, alias: Schema.optional(Schema.NullOr(Alias)) }),
  state
}).annotate({ title: "TemplateWrite" })

/** Times in epoch ms. */
export const TemplateResponse = Schema.Struct({
  id: Schema.String,
  ...Template.fields,
  alias: maybe(Schema.String),
  state: Schema.Literals(["DRAFT", "PUBLISHED"]),
  created: Schema.Finite,
  creator: Schema.String,
  updated: maybe(Schema.Finite),
  updater: maybe(Schema.String)
}).annotate({ title: "Template" })
export type TemplateResponse = typeof TemplateResponse.Type

/** Times in epoch ms. The topic is that of the published version. */
export const TemplateSummary = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  tags: Schema.Array(Schema.String),
  state: Schema.Literals(["DRAFT", "PUBLISHED"]),
  created: Schema.Finite,
  creator: Schema.String,
  updated: maybe(Schema.Finite),
  updater: maybe(Schema.String),
  subscription_topic_id: maybe(Schema.String),
  topic_id: maybe(Schema.String)
}).annotate({ title: "TemplateSummary" })
export type TemplateSummary = typeof TemplateSummary.Type

/** `version` is `draft`, `published:v002` for the live version, or `v001` for an earlier one. */
export const TemplateVersion = Schema.Struct({
  version: Schema.String,
  created: Schema.Finite,
  creator: Schema.String,
  has_changes: maybe(Schema.Boolean)
}).annotate({ title: "TemplateVersion" })
export type TemplateVersion = typeof TemplateVersion.Type

/** Every element, nested element and locale has a `checksum`: the MD5 of its translatable text. */
export const ContentResponse = Schema.Struct({ version: Schema.String, elements: Schema.Array(Element) }).annotate({
  title: "TemplateContentWithChecksums"
})

export const ContentMutation = Schema.Struct({
  id: Schema.String,
  version: Schema.String,
  state: Schema.Literals(["DRAFT", "PUBLISHED"]),
  elements: Schema.Array(Schema.Struct({ id: Schema.String, checksum: Schema.String }))
}).annotate({ title: "ContentMutation" })

/** Items in a page of versions: a number outside 1–10 is clamped. */
const VersionsLimit = Query.limitOf(10)

export class Notifications extends HttpApiGroup.make("notifications").add(
  HttpApiEndpoint.get("list", "/", {
    query: { cursor: Query.Text, event_id: Query.Text, notes: Query.Text, limit: Query.Limit },
    success: Results(TemplateSummary)
  })
    .annotate(OpenApi.Summary, "List templates")
    .annotate(
      OpenApi.Description,
      "Newest first, without archived ones; with `event_id`, only the one that has this alias."
    ),
  HttpApiEndpoint.post("create", "/", {
    payload: TemplateWrite,
    success: TemplateResponse.pipe(HttpApiSchema.status(201)),
    error: Conflict
  })
    .annotate(OpenApi.Summary, "Create a template")
    .annotate(OpenApi.Description, "Creates a draft; with `state` PUBLISHED, also publishes it as the first version."),
  HttpApiEndpoint.get("get", "/:id", { params, query, success: TemplateResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a template")
    .annotate(OpenApi.Description, "The published version, or the one that `version` names: draft, published, v001."),
  HttpApiEndpoint.put("replace", "/:id", {
    params,
    payload: TemplateWrite,
    success: TemplateResponse,
    error: [NotFound, Conflict]
  })
    .annotate(OpenApi.Summary, "Replace a template")
    .annotate(OpenApi.Description, "Replaces the draft; with `state` PUBLISHED it is published too."),
  HttpApiEndpoint.delete("archive", "/:id", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Archive a template")
    .annotate(
      OpenApi.Description,
      "Sends that name it end as UNMAPPED. Its versions can still be read; its alias becomes free."
    ),
  HttpApiEndpoint.get("versions", "/:id/versions", {
    params,
    query: { cursor: Query.Text, limit: VersionsLimit },
    success: Schema.Struct({ paging: Paging, versions: Schema.Array(TemplateVersion) }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "List a template's versions")
    .annotate(OpenApi.Description, "The draft, then the versions, newest first."),
  HttpApiEndpoint.post("publish", "/:id/publish", {
    params,
    payload: [Schema.Struct({ version: optional(Snapshot) }), Schema.Null],
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Publish a template")
    .annotate(
      OpenApi.Description,
      "Makes the draft a new version and that version live; with `version`, makes an earlier version live again. Repeated, it changes nothing."
    ),
  HttpApiEndpoint.post("preview", "/:id/preview", {
    params,
    payload: PreviewRequest,
    success: PreviewResponse,
    error: NotFound
  })
    .annotate(RunApart, true)
    .annotate(OpenApi.Summary, "Preview a template")
    .annotate(OpenApi.Description, "Renders it for a recipient and data in every channel; nothing is sent or stored."),
  HttpApiEndpoint.get("getContent", "/:id/content", { params, query, success: ContentResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a template's content")
    .annotate(OpenApi.Description, "With the ids and MD5 checksums of its elements."),
  HttpApiEndpoint.put("putContent", "/:id/content", {
    params,
    payload: Schema.Struct({ content: TemplateContent, state }),
    success: ContentMutation,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace a template's content")
    .annotate(OpenApi.Description, "Replaces the elements of the draft; elements without an id get one."),
  HttpApiEndpoint.put("putElement", "/:id/elements/:element_id", {
    params: { ...params, element_id: Schema.String },
    payload: Element,
    success: ContentMutation,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace an element of a template")
    .annotate(
      OpenApi.Description,
      "Replaces one element of the draft, however deep; its id stays. With `state` PUBLISHED the draft is published too."
    ),
  HttpApiEndpoint.put("putLocale", "/:id/locales/:locale_id", {
    params: { ...params, locale_id: Schema.NonEmptyString },
    payload: Schema.Struct({
      elements: Schema.Array(Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [JsonMap])),
      state
    }),
    success: ContentMutation,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Translate a template")
    .annotate(OpenApi.Description, "Sets the content of the named elements of the draft in one locale, all or none.")
).prefix("/notifications").annotate(OpenApi.Title, "Templates") {}
