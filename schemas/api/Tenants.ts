import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { ObjectList } from "#schemas/api/ObjectList.ts"
import * as Query from "#schemas/api/Query.ts"
import { EmbeddedBrand } from "#schemas/Brand.ts"
import { GroupId, Id } from "#schemas/Id.ts"
import { JsonMap, optional } from "#schemas/Optional.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import { mostDefaults, TenantDraft, TenantPreferenceItem } from "#schemas/Tenant.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const page = { cursor: Query.Text, limit: Query.Limit }
const params = { tenant_id: Id }
const made = { tenant_id: GroupId }
const member = { user_id: Id, tenant_id: Id }
const topic = { tenant_id: Id, topic_id: Id }

/** What was not given is left out. */
export const TenantResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  parent_tenant_id: maybe(Schema.String),
  brand_id: maybe(Schema.String),
  brand: maybe(EmbeddedBrand),
  properties: maybe(JsonMap),
  user_profile: maybe(JsonMap),
  default_preferences: maybe(Schema.Struct({ items: Schema.Array(TenantPreferenceItem) }))
}).annotate({ title: "Tenant" })
export type TenantResponse = typeof TenantResponse.Type

/** `profile`: the user's profile within this tenant. */
export const TenantAssociation = Schema.Struct({
  tenant_id: Schema.String,
  user_id: Schema.String,
  type: Schema.Literal("user"),
  profile: maybe(JsonMap)
}).annotate({ title: "TenantAssociation" })
export type TenantAssociation = typeof TenantAssociation.Type

export class Tenants extends HttpApiGroup.make("tenants").add(
  HttpApiEndpoint.get("list", "/", {
    query: { ...page, parent_tenant_id: Query.Text },
    success: ObjectList(TenantResponse)
  })
    .annotate(OpenApi.Summary, "List tenants")
    .annotate(OpenApi.Description, "By id; with `parent_tenant_id` the children of one tenant."),
  HttpApiEndpoint.get("get", "/:tenant_id", { params, success: TenantResponse, error: NotFound })
    .annotate(OpenApi.Summary, "Get a tenant"),
  HttpApiEndpoint.put("replace", "/:tenant_id", { params: made, payload: TenantDraft, success: TenantResponse })
    .annotate(OpenApi.Summary, "Create or replace a tenant")
    .annotate(
      OpenApi.Description,
      "Replaces it whole: fields that are not sent are cleared, default preferences too. Members and templates stay."
        + " The brand that `brand_id` names must exist, unless there is a `brand`."
    ),
  HttpApiEndpoint.delete("remove", "/:tenant_id", { params })
    .annotate(OpenApi.Summary, "Delete a tenant")
    .annotate(
      OpenApi.Description,
      "Also deletes its memberships and templates. Users keep their profiles and preferences; its children are left without a parent."
    ),
  HttpApiEndpoint.get("users", "/:tenant_id/users", {
    params,
    query: page,
    success: ObjectList(TenantAssociation),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "List the users of a tenant"),
  HttpApiEndpoint.put("setPreference", "/:tenant_id/default_preferences/items/:topic_id", {
    params: topic,
    payload: TopicSetting,
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Set a tenant's default for a topic")
    .annotate(
      OpenApi.Description,
      `It applies to the tenant's users for as long as they have not chosen for themselves. A tenant has at most ${mostDefaults}.`
    ),
  HttpApiEndpoint.delete("removePreference", "/:tenant_id/default_preferences/items/:topic_id", { params: topic })
    .annotate(OpenApi.Summary, "Remove a tenant's default for a topic")
).prefix("/tenants").annotate(OpenApi.Title, "Tenants") {}

const TenantProfile = Schema.Struct({ profile: optional(JsonMap) })

export class UserTenants extends HttpApiGroup.make("userTenants").add(
  HttpApiEndpoint.get("list", "/", { params: { user_id: Id }, query: page, success: ObjectList(TenantAssociation) })
    .annotate(OpenApi.Summary, "List the tenants of a user"),
  HttpApiEndpoint.put("add", "/", {
    params: { user_id: Id },
    payload: Schema.Struct({
      tenants: Schema.Array(Schema.Struct({
        tenant_id: Id,
        profile: optional(JsonMap),
        type: optional(Schema.Literal("user")),
        user_id: optional(Schema.String)
      }))
    })
  })
    .annotate(OpenApi.Summary, "Add a user to tenants")
    .annotate(
      OpenApi.Description,
      "Adds all of them, or none if one of them does not exist; other memberships stay. Where the user is in the tenant"
        + " already, the profile there stays unless a `profile` is given; `null` removes it."
    ),
  HttpApiEndpoint.delete("removeAll", "/", { params: { user_id: Id } })
    .annotate(OpenApi.Summary, "Remove a user from every tenant"),
  HttpApiEndpoint.get("get", "/:tenant_id", { params: member, success: TenantAssociation, error: NotFound })
    .annotate(OpenApi.Summary, "Get a user's membership of a tenant"),
  HttpApiEndpoint.put("put", "/:tenant_id", {
    params: member,
    payload: [TenantProfile, Schema.Null],
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Add a user to a tenant")
    .annotate(
      OpenApi.Description,
      "Optionally with a profile of the user within this tenant. The user need not exist."
    ),
  HttpApiEndpoint.delete("remove", "/:tenant_id", { params: member })
    .annotate(OpenApi.Summary, "Remove a user from a tenant")
).prefix("/users/:user_id/tenants").annotate(OpenApi.Title, "Users and tenants") {}
