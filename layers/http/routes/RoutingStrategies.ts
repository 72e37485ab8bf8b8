import * as Group from "#layers/http/Group.ts"
import { explained } from "#layers/http/routes/Explanations.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import * as TemplateSummaries from "#layers/http/TemplateSummaries.ts"
import { defaultLimit, type StrategyResponse, type StrategySummary } from "#schemas/api/RoutingStrategies.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { author } from "#src/content/Author.ts"
import { Templates } from "#src/content/Templates.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { Strategies, type StrategyRecord } from "#src/delivery/providers/Strategies.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const summary = ({ strategy, updated, ...record }: StrategyRecord): StrategySummary => ({
  ...record,
  name: strategy.name,
  description: strategy.description ?? undefined,
  tags: strategy.tags ?? undefined,
  creator: author,
  updated,
  updater: updated === undefined ? undefined : author
})

const response = (record: StrategyRecord): StrategyResponse => ({
  ...summary(record),
  routing: record.strategy.routing,
  channels: record.strategy.channels ?? {},
  providers: record.strategy.providers ?? {}
})

/** /routing-strategies. */
export const layer = Group.layer(Effect.gen(function*() {
  const strategies = yield* Strategies
  const templates = yield* Templates
  const providers = yield* Providers
  const suppressions = yield* Suppressions
  return HttpApiBuilder.group(Served, "routingStrategies", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* strategies.list(scope, { limit, cursor })
        return { paging: pagingOf(page), results: page.items.map(summary) }
      }, refusals),
      create: Effect.fnUntraced(function*({ payload }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* strategies.create(scope, payload))
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* strategies.get(scope, params.id))
      }, refusals),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* strategies.replace(scope, params.id, payload))
      }, refusals),
      archive: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* strategies.archive(scope, params.id)
      }, refusals),
      notifications: Effect.fnUntraced(function*({ params: { id }, query: { cursor, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        yield* strategies.get(scope, id)
        const page = yield* templates.list(scope, { limit, cursor, strategyId: id })
        const results = page.items.map(TemplateSummaries.summary)
        return { paging: pagingOf(page), results }
      }, refusals),
      explain: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const { strategy } = yield* strategies.get(scope, params.id)
        const configured = yield* providers.configured(scope)
        const suppressed = payload.profile === undefined || payload.profile === null
          ? Suppressed.none
          : yield* Suppressed.of((one) => suppressions.reason(scope, one), strategy, payload.profile, configured)
        return explained(strategy, payload, configured, suppressed)
      }, refusals)
    }))
}))
