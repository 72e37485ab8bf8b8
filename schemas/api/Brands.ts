import { Conflict, LimitExceeded, NotFound } from "#schemas/api/Errors.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { BrandDraft, BrandSettings, BrandSnippets } from "#schemas/Brand.ts"
import { Id } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { brand_id: Schema.String }

/** Times in epoch ms, except `version`, which is an ISO 8601 date-time. */
export const BrandResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  settings: BrandSettings,
  snippets: BrandSnippets,
  created: Schema.Finite,
  updated: Schema.Finite,
  published: Schema.Finite,
  version: Schema.String
}).annotate({ title: "Brand" })
export type BrandResponse = typeof BrandResponse.Type

export class Brands extends HttpApiGroup.make("brands").add(
  HttpApiEndpoint.post("create", "/", {
    payload: Schema.Struct({ id: optional(Id), ...BrandDraft.fields }),
    success: BrandResponse,
    error: [Conflict, LimitExceeded]
  })
    .annotate(OpenApi.Summary, "Create a brand")
    .annotate(
      OpenApi.Description,
      "Published at once. The first brand of an environment is its default: messages without another brand use it."
    ),
  HttpApiEndpoint.get("list", "/", {
    query: { cursor: Query.Text, limit: Query.Limit },
    success: Results(BrandResponse)
  })
    .annotate(OpenApi.Summary, "List brands")
    .annotate(OpenApi.Description, "Newest first."),
  HttpApiEndpoint.get("get", "/:brand_id", { params, success: BrandResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a brand"),
  HttpApiEndpoint.put("replace", "/:brand_id", {
    params,
    payload: BrandDraft,
    success: BrandResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Replace a brand")
    .annotate(OpenApi.Description, "Replaces it whole: settings and snippets that are not sent are cleared."),
  HttpApiEndpoint.delete("remove", "/:brand_id", { params, error: [NotFound, Conflict] })
    .annotate(OpenApi.Summary, "Delete a brand")
    .annotate(
      OpenApi.Description,
      "Refused while a template, a tenant, a tenant's template or a routing strategy names it, and while it is the default of an environment that has others."
    )
).prefix("/brands").annotate(OpenApi.Title, "Brands") {}
