import { errorReply } from "#layers/http/ErrorReply.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { TooManyRequests } from "#schemas/api/Errors.ts"
import { Id } from "#schemas/Id.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { isPerThing, kinds, RateLimits, RateLimitTable, routes, type Rule } from "#src/access/RateLimits.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

/**
 * Limits the rate of a few routes per workspace and minute, and of resends per message: 429 with `Retry-After` above
 * the limit. Their responses say how much is left (api.md 1.7). A call with an idempotency key comes here counted
 * already (`CurrentCount`).
 */
export class Limited extends HttpApiMiddleware.Service<Limited, { requires: CurrentPrincipal }>()(
  "tidings/http/Limited",
  { error: TooManyRequests }
) {}

/** The headers that say how much is left. */
export type Left = Readonly<Record<string, string>>

/**
 * What is left after the current call, if that has been counted. `Once` counts a call before the transaction in which
 * it runs: in there, a refusal would take the count back with everything else.
 */
export const CurrentCount = Context.Reference<Left | undefined>("tidings/http/CurrentCount", {
  defaultValue: () => undefined
})

const routeOf = ({ method, path }: Pick<HttpApiEndpoint.Top, "method" | "path">): string =>
  `${method} ${path.replaceAll(/:\w+/g, ":id").replace(/(.)\/$/, "$1")}`

/** A text that cannot be an id names nothing that could be counted. */
const isId = Schema.is(Id)

const refusal = ({ limit, of }: Rule): string =>
  of === undefined ? `At most ${limit} such requests a minute` : `At most ${limit} such requests a minute for ${of}`

/**
 * How a call of an endpoint is counted; `undefined` for an endpoint without a limit. It fails with the answer to a call
 * that may not run: 429, or 503 if it cannot be counted.
 */
export const counting = Effect.gen(function*() {
  const limits = yield* RateLimits
  const table = yield* RateLimitTable
  const rules = new Map(
    kinds.flatMap((name): ReadonlyArray<[string, Rule]> =>
      table[name] === 0 ? [] : [[routes[name], { name, limit: table[name] }]]
    )
  )

  const ruleFor = Effect.fnUntraced(function*(rule: Rule) {
    if (!isPerThing(rule.name)) return rule
    const [of = ""] = Object.values((yield* HttpRouter.RouteContext).params)
    return isId(of) ? { ...rule, of } : undefined
  })

  const count = Effect.fnUntraced(function*(general: Rule) {
    const { scope } = yield* CurrentPrincipal
    const rule = yield* ruleFor(general)
    if (rule === undefined) return {}
    const { count, endsAt } = yield* Effect.catch(limits.take(scope, rule), () => Effect.flip(unavailable))
    const left: Left = {
      "x-ratelimit-limit": String(rule.limit),
      "x-ratelimit-remaining": String(Math.max(0, rule.limit - count))
    }
    if (count <= rule.limit) return left
    const seconds = Math.max(1, Math.ceil((endsAt - (yield* Clock.currentTimeMillis)) / 1_000))
    const headers = { ...left, "retry-after": String(seconds) }
    return yield* Effect.fail(errorReply(429, refusal(rule), "rate_limit_error", headers))
  })

  return (endpoint: Pick<HttpApiEndpoint.Top, "method" | "path">) => {
    const rule = rules.get(routeOf(endpoint))
    return rule === undefined ? undefined : count(rule)
  }
})

export const layer = Layer.effect(
  Limited,
  Effect.map(counting, (countOf) => (handler, { endpoint }) => {
    const count = countOf(endpoint)
    if (count === undefined) return handler
    return Effect.matchEffect(
      Effect.flatMap(CurrentCount, (left) => left === undefined ? count : Effect.succeed(left)),
      {
        onSuccess: (left) => Effect.map(handler, HttpServerResponse.setHeaders(left)),
        onFailure: Effect.succeed
      }
    )
  })
)
