import * as Group from "#layers/http/Group.ts"
import { pageSize, pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Lists } from "#src/people/Lists.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const done = { status: "SUCCESS" } as const

/** /profiles/{user_id}/lists. */
export const layer = Group.layer(Effect.gen(function*() {
  const lists = yield* Lists
  return HttpApiBuilder.group(Served, "profileLists", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query: { cursor } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* lists.listsOf(scope, params.user_id, { limit: pageSize, cursor })
        return { paging: pagingOf(page), results: page.items }
      }, refusals),
      join: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const memberships = payload.lists.map(({ listId, preferences }) => ({
          listId,
          preferences: preferences ?? undefined
        }))
        yield* lists.join(scope, params.user_id, memberships)
        return done
      }, refusals),
      leave: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* lists.leave(scope, params.user_id)
        return done
      }, refusals)
    }))
}))
