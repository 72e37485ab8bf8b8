import { errorReply } from "#layers/http/ErrorReply.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { TooManyRequests } from "#schemas/api/Errors.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { kinds, RateLimits, RateLimitTable, routes, type Rule } from "#src/access/RateLimits.ts"
import { Clock, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

/**
 * Counts the requests of the few limited routes per workspace and minute: 429 above the limit, with `Retry-After`. Their responses say what
 * is left (api.md 1.7). It stands behind the idempotency key, so a replay is not counted.
 */
export class Limited extends HttpApiMiddleware.Service<Limited, { requires: CurrentPrincipal }>()(
  "tidings/http/Limited",
  { error: TooManyRequests }
) {}

const routeOf = ({ method, path }: Pick<HttpApiEndpoint.Top, "method" | "path">): string =>
  `${method} ${path.replaceAll(/:\w+/g, ":id").replace(/(.)\/$/, "$1")}`

export const layer = Layer.effect(
  Limited,
  Effect.gen(function*() {
    const limits = yield* RateLimits
    const table = yield* RateLimitTable
    const rules = new Map(
      kinds.flatMap((name): ReadonlyArray<[string, Rule]> =>
        table[name] === 0 ? [] : [[routes[name], { name, limit: table[name] }]]
      )
    )

    const limited = Effect.fnUntraced(function*<E, R>(
      rule: Rule,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) {
      const { scope } = yield* CurrentPrincipal
      const taken = yield* Effect.result(limits.take(scope, rule))
      if (taken._tag === "Failure") return yield* unavailable
      const { count, endsAt } = taken.success
      const headers = {
        "x-ratelimit-limit": String(rule.limit),
        "x-ratelimit-remaining": String(Math.max(0, rule.limit - count))
      }
      if (count <= rule.limit) return HttpServerResponse.setHeaders(yield* handler, headers)
      const seconds = Math.max(1, Math.ceil((endsAt - (yield* Clock.currentTimeMillis)) / 1_000))
      return errorReply(429, `At most ${rule.limit} such requests a minute`, "rate_limit_error", {
        ...headers,
        "retry-after": String(seconds)
      })
    })

    return (handler, { endpoint }) => {
      const rule = rules.get(routeOf(endpoint))
      return rule === undefined ? handler : limited(rule, handler)
    }
  })
)
