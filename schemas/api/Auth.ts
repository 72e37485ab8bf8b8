import { AnswersSecret } from "#schemas/api/AnswersSecret.ts"
import { Lifetime, TokenScopes } from "#schemas/TokenScopes.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/** api.md 17. */
export class Auth extends HttpApiGroup.make("auth").add(
  HttpApiEndpoint.post("issueToken", "/issue-token", {
    payload: Schema.Struct({ scope: TokenScopes, expires_in: Lifetime }),
    success: Schema.Struct({ token: Schema.String })
  })
    .annotate(AnswersSecret, true)
    .annotate(OpenApi.Summary, "Issue a user's token")
    .annotate(
      OpenApi.Description,
      "A JWT for clients that must not hold an API key. It permits only what its scopes name, for the users that they name."
    )
).prefix("/auth").annotate(OpenApi.Title, "User tokens") {}
