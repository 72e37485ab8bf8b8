import { errorReply } from "#layers/http/ErrorReply.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { fromStored } from "#layers/http/StoredReply.ts"
import { TooManyRequests } from "#schemas/api/Errors.ts"
import { Id } from "#schemas/Id.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Idempotency from "#src/access/Idempotency.ts"
import { isPerThing, kinds, RateLimits, RateLimitTable, routes, type Rule } from "#src/access/RateLimits.ts"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

/**
 * Limits the rate of a few routes per workspace and minute, and of resends per message: 429 with `Retry-After` above
 * the limit. Their responses say how much is left (api.md 1.7). It runs after the idempotency key, so that replays are
 * not counted.
 */
export class Limited extends HttpApiMiddleware.Service<Limited, { requires: CurrentPrincipal }>()(
  "tidings/http/Limited",
  { error: TooManyRequests }
) {}

const routeOf = ({ method, path }: Pick<HttpApiEndpoint.Top, "method" | "path">): string =>
  `${method} ${path.replaceAll(/:\w+/g, ":id").replace(/(.)\/$/, "$1")}`

/** A text that cannot be an id names nothing that could be counted. */
const isId = Schema.is(Id)

const refusal = ({ limit, of }: Rule): string =>
  of === undefined ? `At most ${limit} such requests a minute` : `At most ${limit} such requests a minute for ${of}`

export const layer = Layer.effect(
  Limited,
  Effect.gen(function*() {
    const limits = yield* RateLimits
    const table = yield* RateLimitTable
    const idempotency = yield* Idempotency.Idempotency
    const rules = new Map(
      kinds.flatMap((name): ReadonlyArray<[string, Rule]> =>
        table[name] === 0 ? [] : [[routes[name], { name, limit: table[name] }]]
      )
    )

    /**
     * The stored answer of an earlier call whose key the handler commits itself. All other replays are answered before
     * they come here.
     */
    const earlier = Effect.flatMap(
      Idempotency.CurrentKey,
      (key) => key === undefined ? Effect.succeedNone : idempotency.find(key)
    )

    const ruleFor = Effect.fnUntraced(function*(rule: Rule) {
      if (!isPerThing(rule.name)) return rule
      const [of = ""] = Object.values((yield* HttpRouter.RouteContext).params)
      return isId(of) ? { ...rule, of } : undefined
    })

    const limited = Effect.fnUntraced(function*<E, R>(
      general: Rule,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) {
      const { scope } = yield* CurrentPrincipal
      const rule = yield* ruleFor(general)
      if (rule === undefined) return yield* handler
      const known = yield* Effect.result(earlier)
      if (known._tag === "Failure") return yield* unavailable
      if (Option.isSome(known.success)) return fromStored({ response: known.success.value, replayed: true })
      const taken = yield* Effect.result(limits.take(scope, rule))
      if (taken._tag === "Failure") return yield* unavailable
      const { count, endsAt } = taken.success
      const headers = {
        "x-ratelimit-limit": String(rule.limit),
        "x-ratelimit-remaining": String(Math.max(0, rule.limit - count))
      }
      if (count <= rule.limit) return HttpServerResponse.setHeaders(yield* handler, headers)
      const seconds = Math.max(1, Math.ceil((endsAt - (yield* Clock.currentTimeMillis)) / 1_000))
      return errorReply(429, refusal(rule), "rate_limit_error", { ...headers, "retry-after": String(seconds) })
    })

    return (handler, { endpoint }) => {
      const rule = rules.get(routeOf(endpoint))
      return rule === undefined ? handler : limited(rule, handler)
    }
  })
)
