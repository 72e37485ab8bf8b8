import * as Group from "#layers/http/Group.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import type { WebhookResponse } from "#schemas/api/Webhooks.ts"
import type { WebhookWrite } from "#schemas/Webhook.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { type WebhookDraft, type WebhookRecord, Webhooks } from "#src/reports/Webhooks.ts"
import * as NewSecret from "#src/reports/webhooks/NewSecret.ts"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const drafted = ({ description, state, types, url }: WebhookWrite): WebhookDraft => ({
  url,
  types: types ?? undefined,
  description: description ?? undefined,
  state: state ?? "ENABLED"
})

const response = ({ gaveUpAt, reachedAt, ...stored }: WebhookRecord): WebhookResponse => ({
  ...stored,
  gave_up_at: gaveUpAt,
  reached_at: reachedAt
})

/** /webhooks. */
export const layer = Group.layer(Effect.gen(function*() {
  const webhooks = yield* Webhooks
  const newSecret = yield* NewSecret.make
  const secretOf = (own: string | null | undefined) =>
    own === undefined || own === null ? newSecret : Effect.succeed(Redacted.make(own))

  return HttpApiBuilder.group(Served, "webhooks", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* webhooks.list(scope, { limit, cursor })
        return { paging: pagingOf(page), results: page.items.map(response) }
      }, refusals),
      create: Effect.fnUntraced(function*({ payload }) {
        const { scope } = yield* CurrentPrincipal
        const secret = yield* secretOf(payload.secret)
        const made = yield* webhooks.create(scope, drafted(payload), secret)
        return { ...response(made), secret: Redacted.value(secret) }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* webhooks.get(scope, params.id))
      }, refusals),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* webhooks.replace(scope, params.id, drafted(payload)))
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* webhooks.remove(scope, params.id)
      }, refusals),
      renew: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const secret = yield* secretOf(payload?.secret)
        yield* webhooks.renew(scope, params.id, secret)
        return { secret: Redacted.value(secret) }
      }, refusals)
    }))
}))
