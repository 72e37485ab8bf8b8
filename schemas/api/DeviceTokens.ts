import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import {
  Expiry,
  isBrief,
  mostTokens,
  Token,
  TokenDetails,
  TokenProvider,
  TokenStatus,
  TokenWrite
} from "#schemas/DeviceToken.ts"
import { optional } from "#schemas/Optional.ts"
import { LenientPatchOperation } from "#schemas/PatchOperation.ts"
import { UserId } from "#schemas/Profile.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const user = { user_id: UserId }
const params = { ...user, token: Token }

/** A token in a list (api.md 12). */
export const UserToken = Schema.Struct({
  token: Schema.String,
  provider_key: TokenProvider,
  expiry_date: Expiry,
  ...TokenDetails.fields
}).annotate({ title: "UserToken" })
export type UserToken = typeof UserToken.Type

export const UserTokenWithStatus = Schema.Struct({
  ...UserToken.fields,
  status: TokenStatus,
  status_reason: maybe(Schema.String)
}).annotate({ title: "UserTokenWithStatus" })

const description = "ISO 8601, or false for never. Left out, the token holds for two months."

export class DeviceTokens extends HttpApiGroup.make("deviceTokens").add(
  HttpApiEndpoint.get("list", "/", {
    params: user,
    success: Schema.Struct({ tokens: Schema.Array(UserToken) })
  })
    .annotate(OpenApi.Summary, "List a user's device tokens")
    .annotate(OpenApi.Description, "Oldest first, including those that have expired or failed."),
  HttpApiEndpoint.put("registerMany", "/", {
    params: user,
    payload: [
      Schema.Struct({
        tokens: optional(
          Schema.Array(Schema.Struct({ token: Token, ...TokenWrite.fields }).check(isBrief)).check(
            Schema.isMaxLength(mostTokens)
          )
        )
      }),
      Schema.Null
    ]
  })
    .annotate(OpenApi.Summary, "Register device tokens")
    .annotate(
      OpenApi.Description,
      `All or none; tokens that are registered already are replaced. A user has ${mostTokens} at most: the oldest go. No body: no change.`
    ),
  HttpApiEndpoint.get("get", "/:token", { params, success: UserTokenWithStatus, error: NotFound })
    .annotate(OpenApi.Summary, "Get a device token"),
  HttpApiEndpoint.put("register", "/:token", {
    params,
    payload: Schema.Struct({ token: optional(Schema.String), ...TokenWrite.fields }).check(isBrief)
  })
    .annotate(OpenApi.Summary, "Register a device token")
    .annotate(OpenApi.Description, `Creates or replaces it; another user's token moves to this one. ${description}`),
  HttpApiEndpoint.patch("patch", "/:token", {
    params,
    payload: Schema.Struct({ patch: Schema.Array(LenientPatchOperation) }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Patch a device token")
    .annotate(
      OpenApi.Description,
      "Applies a JSON Patch (RFC 6902), all operations or none. A `value` that is left out counts as null; an expiry date of null becomes the default one."
    ),
  HttpApiEndpoint.delete("remove", "/:token", { params })
    .annotate(OpenApi.Summary, "Delete a device token")
).prefix("/users/:user_id/tokens").annotate(OpenApi.Title, "Device tokens") {}
