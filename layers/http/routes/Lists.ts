import * as Changes from "#layers/http/Changes.ts"
import * as Group from "#layers/http/Group.ts"
import { pageSize, pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { Lists, type NewSubscription } from "#src/people/Lists.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const subscriptionOf = (
  { preferences, recipientId }: {
    readonly recipientId: UserId
    readonly preferences?: RecipientPreferences | null | undefined
  }
): NewSubscription => ({ userId: recipientId, preferences: preferences ?? undefined })

/** /lists. */
export const layer = Group.layer(Effect.gen(function*() {
  const lists = yield* Lists
  return HttpApiBuilder.group(Served, "lists", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor, pattern } }) {
        const { scope } = yield* CurrentPrincipal
        const matching = pattern === undefined ? undefined : yield* ListPattern.parse(pattern)
        const page = yield* lists.list(scope, { limit: pageSize, cursor, pattern: matching })
        return { paging: pagingOf(page), items: page.items }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return yield* lists.get(scope, params.list_id)
      }, refusals),
      put: Effect.fnUntraced(function*({ params, payload: { name, preferences } }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.put(scope, params.list_id, { name, preferences: preferences ?? undefined })
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.remove(scope, params.list_id)
      }, refusals),
      restore: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* Changes.noted(lists.restore(scope, params.list_id))
      }, refusals),
      subscriptions: Effect.fnUntraced(function*({ params, query: { cursor } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* lists.subscriptions(scope, params.list_id, { limit: pageSize, cursor })
        const items = page.items.map(({ userId, ...item }) => ({ recipientId: userId, ...item }))
        return { paging: pagingOf(page), items }
      }, refusals),
      subscribe: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.subscribe(scope, params.list_id, payload.recipients.map(subscriptionOf))
      }, refusals),
      replaceSubscriptions: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.replaceSubscriptions(scope, params.list_id, payload.recipients.map(subscriptionOf))
      }, refusals),
      putSubscription: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.putSubscription(scope, params.list_id, {
          userId: params.user_id,
          preferences: payload?.preferences ?? undefined
        })
      }, refusals),
      removeSubscription: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.removeSubscription(scope, params.list_id, params.user_id)
      }, refusals)
    }))
}))
