import { ListResponse } from "#schemas/api/Lists.ts"
import { Results } from "#schemas/api/Paging.ts"
import * as Query from "#schemas/api/Query.ts"
import { ListId } from "#schemas/List.ts"
import { optional } from "#schemas/Optional.ts"
import { WrittenPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const params = { user_id: UserId }
const success = Schema.Struct({ status: Schema.Literal("SUCCESS") })

export class ProfileLists extends HttpApiGroup.make("profileLists").add(
  HttpApiEndpoint.get("list", "/", { params, query: { cursor: Query.Text }, success: Results(ListResponse) })
    .annotate(OpenApi.Summary, "List the lists of a user")
    .annotate(OpenApi.Description, "In the order of their ids, each with the preferences of the user's subscription."),
  HttpApiEndpoint.post("join", "/", {
    params,
    payload: Schema.Struct({
      lists: Schema.Array(Schema.Struct({ listId: ListId, preferences: optional(WrittenPreferences) }))
    }),
    success
  })
    .annotate(OpenApi.Summary, "Subscribe a user to lists")
    .annotate(OpenApi.Description, "Creates the lists that are missing."),
  HttpApiEndpoint.delete("leave", "/", { params, success })
    .annotate(OpenApi.Summary, "Unsubscribe a user from all lists")
).prefix("/profiles/:user_id/lists").annotate(OpenApi.Title, "Lists of a user") {}
