import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { ObjectList } from "#schemas/api/ObjectList.ts"
import * as Query from "#schemas/api/Query.ts"
import { Id } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import { ChannelSettings, ProviderSettings, Routing } from "#schemas/Routing.ts"
import { TemplateContent } from "#schemas/Template.ts"
import { TenantTemplate, TenantVersion } from "#schemas/TenantTemplate.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const params = { tenant_id: Id, template_id: Id }

/** Times in ISO 8601. `published_at` is present once a version has been published. */
const association = {
  id: Schema.String,
  version: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String,
  published_at: maybe(Schema.String)
}

export const TenantTemplateResponse = Schema.Struct({
  ...association,
  data: Schema.Struct({
    routing: maybe(Routing),
    channels: maybe(Schema.Record(Schema.String, ChannelSettings)),
    providers: maybe(Schema.Record(Schema.String, ProviderSettings)),
    content: TemplateContent
  })
}).annotate({ title: "TenantTemplate" })
export type TenantTemplateResponse = typeof TenantTemplateResponse.Type

export const TenantTemplateItem = Schema.Struct({
  ...association,
  data: Schema.Struct({ routing: Routing })
})
export type TenantTemplateItem = typeof TenantTemplateItem.Type

/** `published_at`: when this call published it, if it did. */
export const TenantTemplateSaved = Schema.Struct({
  id: Schema.String,
  version: Schema.String,
  published_at: maybe(Schema.String)
}).annotate({ title: "TenantTemplateSaved" })

export class TenantTemplates extends HttpApiGroup.make("tenantTemplates").add(
  HttpApiEndpoint.get("list", "/", {
    params: { tenant_id: Id },
    query: { cursor: Query.Text, limit: Query.Limit },
    success: ObjectList(TenantTemplateItem)
  })
    .annotate(OpenApi.Summary, "List a tenant's templates")
    .annotate(OpenApi.Description, "By id, the newest version of each."),
  HttpApiEndpoint.get("get", "/:template_id", { params, success: TenantTemplateResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a tenant's template")
    .annotate(OpenApi.Description, "Its published version or, when there is none, its newest."),
  HttpApiEndpoint.put("put", "/:template_id", {
    params,
    payload: Schema.Struct({ template: TenantTemplate, published: optional(Schema.Boolean) }),
    success: [TenantTemplateSaved, TenantTemplateSaved.pipe(HttpApiSchema.status(201))],
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Create or replace a tenant's template")
    .annotate(
      OpenApi.Description,
      "Stores a new version. Once published, it replaces the workspace's template of the same id in sends to the tenant."
        + " The brands of its channels must exist."
    ),
  HttpApiEndpoint.delete("remove", "/:template_id", { params, error: NotFound })
    .annotate(OpenApi.Summary, "Delete a tenant's template")
    .annotate(OpenApi.Description, "Sends to the tenant use the workspace's template again."),
  HttpApiEndpoint.post("publish", "/:template_id/publish", {
    params,
    payload: [Schema.Struct({ version: optional(TenantVersion) }), Schema.Null],
    success: TenantTemplateSaved,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Publish a tenant's template")
    .annotate(OpenApi.Description, "Publishes its newest version, or the one that `version` names: v1."),
  HttpApiEndpoint.get("version", "/:template_id/versions/:version", {
    params: { ...params, version: TenantVersion },
    success: TenantTemplateResponse,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Get a version of a tenant's template")
    .annotate(OpenApi.Description, "By its number, v1, or by latest or published.")
).prefix("/tenants/:tenant_id/templates").annotate(OpenApi.Title, "Templates of tenants") {}
