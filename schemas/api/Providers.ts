import { Conflict, NotFound } from "#schemas/api/Errors.ts"
import { MayTakeLong } from "#schemas/api/MayTakeLong.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { Id } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { id: Schema.String }

export const ProviderWrite = Schema.Struct({
  provider: Schema.NonEmptyString,
  title: optional(Id),
  alias: optional(Id),
  settings: optional(JsonMap)
}).annotate({ title: "ProviderWrite" })

/** A provider's configuration; every secret in `settings` is masked. Times in epoch ms. */
export const ProviderResponse = Schema.Struct({
  id: Schema.String,
  provider: Schema.String,
  title: Schema.String,
  alias: maybe(Schema.String),
  settings: JsonMap,
  created: Schema.Finite,
  updated: maybe(Schema.Finite)
}).annotate({ title: "Provider" })
export type ProviderResponse = typeof ProviderResponse.Type

export const CatalogSetting = Schema.Struct({
  type: Schema.Literals(["string", "boolean", "number", "enum", "object"]),
  required: Schema.Boolean,
  secret: Schema.Boolean,
  values: maybe(Schema.Array(Schema.String))
})

export const CatalogEntry = Schema.Struct({
  provider: Schema.String,
  name: Schema.String,
  description: Schema.String,
  channel: Schema.String,
  settings: Schema.Record(Schema.String, CatalogSetting)
}).annotate({ title: "CatalogEntry" })
export type CatalogEntry = typeof CatalogEntry.Type

export class Providers extends HttpApiGroup.make("providers").add(
  HttpApiEndpoint.get("catalog", "/catalog", {
    query: { channel: Query.Text, keys: Query.Texts, name: Query.Text },
    success: Results(CatalogEntry)
  })
    .annotate(OpenApi.Summary, "List the providers that can be configured")
    .annotate(OpenApi.Description, "All given filters hold; `name` is a part of the name, `keys` is comma-joined."),
  HttpApiEndpoint.get("list", "/", {
    query: { cursor: Query.Text, limit: Query.Limit },
    success: Results(ProviderResponse)
  })
    .annotate(OpenApi.Summary, "List provider configurations")
    .annotate(OpenApi.Description, "Newest first. Secrets are masked."),
  HttpApiEndpoint.post("create", "/", {
    payload: ProviderWrite,
    success: ProviderResponse.pipe(HttpApiSchema.status(201))
  })
    .annotate(OpenApi.Summary, "Configure a provider")
    .annotate(
      OpenApi.Description,
      "`settings` are those that the catalogue lists; others are ignored. Without settings, the provider sends nothing until it has them."
    ),
  HttpApiEndpoint.get("get", "/:id", { params, success: ProviderResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a provider configuration")
    .annotate(OpenApi.Description, "Secrets are masked."),
  HttpApiEndpoint.put("replace", "/:id", { params, payload: ProviderWrite, success: ProviderResponse, error: NotFound })
    .annotate(MayTakeLong, true)
    .annotate(OpenApi.Summary, "Replace a provider configuration")
    .annotate(
      OpenApi.Description,
      "Replaces it whole. A mask that is sent back keeps its secret, unless the secret would then go to another host; `provider` cannot change."
    ),
  HttpApiEndpoint.delete("remove", "/:id", { params, error: [NotFound, Conflict] })
    .annotate(MayTakeLong, true)
    .annotate(OpenApi.Summary, "Delete a provider configuration")
    .annotate(OpenApi.Description, "Refused while a routing strategy or a tenant's template needs it.")
).prefix("/providers").annotate(OpenApi.Title, "Providers") {}
