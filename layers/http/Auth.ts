import * as Group from "#layers/http/Group.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { UserTokens } from "#src/access/UserTokens.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /auth. */
export const layer = Group.layer(Effect.gen(function*() {
  const tokens = yield* UserTokens
  return HttpApiBuilder.group(Served, "auth", (handlers) =>
    handlers.handleAll({
      issueToken: Effect.fnUntraced(function*({ payload: { expires_in: lifetime, scope } }) {
        return { token: yield* tokens.issue(yield* CurrentPrincipal, scope, lifetime) }
      })
    }))
}))
