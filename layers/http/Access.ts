import { errorReply } from "#layers/http/ErrorReply.ts"
import { KnownCallers, recognizing } from "#layers/http/KnownCallers.ts"
import { unavailable } from "#layers/http/Replies.ts"
import * as UserAccess from "#layers/http/routes/UserAccess.ts"
import { Forbidden, Unauthorized } from "#schemas/api/Errors.ts"
import * as AuthorizationHeader from "#src/access/AuthorizationHeader.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { isToken, UserTokens } from "#src/access/UserTokens.ts"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"

/** The user name of the Basic scheme (`TIDINGS_ACCOUNT_EMAIL`). */
export const AccountEmail = Context.Reference<string>("tidings/http/AccountEmail", {
  defaultValue: () => "ops@example.com"
})

/**
 * Lets in callers with an API key, or with a user's token whose scopes allow it, and tells the endpoint who the caller
 * is.
 */
export class Access extends HttpApiMiddleware.Service<Access, { provides: CurrentPrincipal }>()("tidings/http/Access", {
  error: [Unauthorized, Forbidden]
}) {}

/** The answer to a caller without a key of ours. */
export const unauthorized = errorReply(401, "Unauthorized", "authentication_error", {
  "www-authenticate": "Bearer, Basic realm=\"tidings\", charset=\"UTF-8\""
})

export const layer = Layer.effect(
  Access,
  Effect.gen(function*() {
    const recognize = yield* recognizing
    const tokens = yield* UserTokens
    const ofUser = yield* UserAccess.make
    const email = yield* AccountEmail
    const callers = yield* KnownCallers
    return (handler, { endpoint }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
        const header = headers["authorization"]
        const caller = callers.find(header)
        if (caller !== undefined) return Effect.provideService(handler, CurrentPrincipal, caller)
        const key = AuthorizationHeader.parse(header, email)
        if (header === undefined || key === undefined) return Effect.succeed(unauthorized)
        return Effect.matchEffect(isToken(key) ? tokens.authenticate(key) : recognize(header, key), {
          onSuccess: (principal) => {
            const { grant, scope } = principal
            const served = Effect.provideService(handler, CurrentPrincipal, principal)
            return grant === undefined ? served : ofUser(grant, scope, endpoint, served)
          },
          onFailure: (error) => error._tag === "InvalidKey" ? Effect.succeed(unauthorized) : unavailable
        })
      })
  })
)
