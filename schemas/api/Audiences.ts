import { NotFound } from "#schemas/api/Errors.ts"
import { IsoTime } from "#schemas/api/IsoTime.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { Items } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { AudienceBody, AudienceFilter, LogicalOperator } from "#schemas/Audience.ts"
import { GroupId, Id } from "#schemas/Id.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { audience_id: Id }
const made = { audience_id: GroupId }
const query = { cursor: Query.Text }

const Audience = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  created_at: IsoTime,
  updated_at: IsoTime,
  filter: maybe(AudienceFilter),
  operator: maybe(LogicalOperator)
}).annotate({ title: "Audience" })
export type Audience = typeof Audience.Type

const Member = Schema.Struct({
  member_id: Schema.String,
  audience_id: Schema.String,
  audience_version: Schema.Finite,
  added_at: IsoTime,
  reason: Schema.String
}).annotate({ title: "AudienceMember" })

export class Audiences extends HttpApiGroup.make("audiences").add(
  HttpApiEndpoint.get("list", "/", { query, success: Items(Audience) })
    .annotate(OpenApi.Summary, "List audiences")
    .annotate(OpenApi.Description, "In the order of their ids."),
  HttpApiEndpoint.get("get", "/:audience_id", { params, success: Audience, error: NotFound })
    .annotate(OpenApi.Summary, "Get an audience"),
  HttpApiEndpoint.put("put", "/:audience_id", {
    params: made,
    payload: AudienceBody,
    success: Schema.Struct({ audience: Audience })
  })
    .annotate(OpenApi.Summary, "Create or replace an audience")
    .annotate(
      OpenApi.Description,
      "Its members are worked out in the background, and follow the profiles from then on. Without rules it has none."
        + " GT, GTE, LT and LTE compare two numbers, or two texts of which neither is a number; else they do not hold."
    ),
  HttpApiEndpoint.delete("remove", "/:audience_id", { params })
    .annotate(OpenApi.Summary, "Delete an audience")
    .annotate(OpenApi.Description, "Cannot be undone."),
  HttpApiEndpoint.get("members", "/:audience_id/members", { params, query, success: Items(Member), error: NotFound })
    .annotate(OpenApi.Summary, "List the members of an audience")
    .annotate(OpenApi.Description, "In the order of the users' ids, each with the reason for the membership.")
).prefix("/audiences").annotate(OpenApi.Title, "Audiences") {}
