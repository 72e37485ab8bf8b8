import * as Changes from "#layers/http/Changes.ts"
import * as Group from "#layers/http/Group.ts"
import { pageSize, pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { Audience } from "#schemas/api/Audiences.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import { type AudienceRecord, Audiences } from "#src/people/Audiences.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const response = ({ created, updated, version: _, ...record }: AudienceRecord): Audience => ({
  ...record,
  created_at: created,
  updated_at: updated
})

/** /audiences. */
export const layer = Group.layer(Effect.gen(function*() {
  const audiences = yield* Audiences
  return HttpApiBuilder.group(Served, "audiences", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* audiences.list(scope, { limit: pageSize, cursor })
        return { paging: pagingOf(page), items: page.items.map(response) }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* audiences.get(scope, params.audience_id))
      }, refusals),
      put: Effect.fnUntraced(function*({ params: { audience_id: id }, payload }) {
        const { scope } = yield* CurrentPrincipal
        const draft = yield* Effect.fromResult(AudienceRules.draft(id, payload))
        return { audience: response(yield* audiences.put(scope, id, draft)) }
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* Changes.noted(audiences.remove(scope, params.audience_id))
      }, refusals),
      members: Effect.fnUntraced(function*({ params: { audience_id: id }, query: { cursor } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* audiences.members(scope, id, { limit: pageSize, cursor })
        const items = page.items.map(({ added, reason, userId, version }) => ({
          member_id: userId,
          audience_id: id,
          audience_version: version,
          added_at: added,
          reason
        }))
        return { paging: pagingOf(page), items }
      }, refusals)
    }))
}))
