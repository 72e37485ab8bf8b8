import { AnsweredByLookup } from "#schemas/api/AnsweredByLookup.ts"
import { NotFound } from "#schemas/api/Errors.ts"
import { maybe } from "#schemas/api/Maybe.ts"
import { PatchOperation } from "#schemas/PatchOperation.ts"
import { RecipientPreferences } from "#schemas/Preferences.ts"
import { Profile, UserId } from "#schemas/Profile.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { user_id: UserId }
const payload = Schema.Struct({ profile: Profile })
const found = Schema.Struct({ profile: Profile, preferences: maybe(RecipientPreferences) })
const success = Schema.Struct({ status: Schema.Literal("SUCCESS") })

export class Profiles extends HttpApiGroup.make("profiles").add(
  HttpApiEndpoint.get("get", "/", {
    // The decoded form of its schemas is JSON already: a codec would only cost time.
    disableCodecs: true,
    params,
    success: found,
    error: NotFound
  })
    .annotate(AnsweredByLookup, true)
    .annotate(OpenApi.Summary, "Get a profile"),
  HttpApiEndpoint.put("replace", "/", { params, payload, success })
    .annotate(OpenApi.Summary, "Replace a profile")
    .annotate(OpenApi.Description, "Creates the profile or replaces it whole: keys that are not sent are removed."),
  HttpApiEndpoint.post("merge", "/", { params, payload, success })
    .annotate(OpenApi.Summary, "Merge into a profile")
    .annotate(
      OpenApi.Description,
      "Creates the profile or merges into it: objects deeply, arrays and scalars replaced."
    ),
  HttpApiEndpoint.patch("patch", "/", {
    params,
    payload: Schema.Struct({ patch: Schema.Array(PatchOperation) }),
    error: NotFound
  })
    .annotate(OpenApi.Summary, "Patch a profile")
    .annotate(OpenApi.Description, "Applies a JSON Patch (RFC 6902), all operations or none."),
  HttpApiEndpoint.delete("remove", "/", { params })
    .annotate(OpenApi.Summary, "Delete a profile")
    .annotate(
      OpenApi.Description,
      "Removes the profile, its addresses and device tokens, and the user's profiles within tenants. List subscriptions, memberships of"
        + " tenants and preferences stay."
    )
).prefix("/profiles/:user_id").annotate(OpenApi.Title, "Profiles") {}
