import { AccountEmail, unauthorized } from "#layers/http/Access.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { ApiKeys } from "#src/access/ApiKeys.ts"
import * as AuthorizationHeader from "#src/access/AuthorizationHeader.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import * as Patience from "#src/store/Patience.ts"
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** GET /cluster, for callers with an API key: the nodes, the shards that they own, and how far behind they are. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const keys = yield* ApiKeys
  const email = yield* AccountEmail
  const clusters = yield* Clusters
  const patiently = yield* Patience.within(Patience.callers)

  const answer = Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const key = AuthorizationHeader.parse(headers["authorization"], email)
    if (key === undefined) return unauthorized
    const { scope } = yield* keys.authenticate(key)
    return HttpServerResponse.jsonUnsafe(yield* clusters.look(yield* Clock.currentTimeMillis, scope))
  })
  yield* router.add(
    "GET",
    "/cluster",
    patiently(answer).pipe(
      Effect.catchTag("InvalidKey", () => Effect.succeed(unauthorized)),
      Effect.catchTag(["StoreUnavailable", "TimeoutError"], () => unavailable)
    )
  )
}))
