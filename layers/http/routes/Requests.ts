import * as Group from "#layers/http/Group.ts"
import { requestId } from "#layers/http/Ids.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import type { RequestProgress } from "#schemas/api/Requests.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import type { RequestRecord } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const shown = (
  { acceptedAt: enqueued, endedAt: completed, id: requestId, ...record }: RequestRecord
): RequestProgress => ({
  ...record,
  requestId,
  enqueued,
  completed
})

/** /requests. */
export const layer = Group.layer(Effect.gen(function*() {
  const log = yield* MessageLog
  const expansions = yield* Expansions
  return HttpApiBuilder.group(Served, "requests", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { cursor, limit = defaultLimit, state } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* log.requests(scope, { cursor, limit, state })
        return { paging: pagingOf(page), results: page.items.map(shown) }
      }, refusals),
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        return shown(yield* expansions.find(scope, yield* requestId(params.request_id)))
      }, refusals),
      resume: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const id = yield* requestId(params.request_id)
        yield* expansions.resume(scope, id)
        return shown(yield* expansions.find(scope, id))
      }, refusals),
      archive: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* log.archive(scope, yield* requestId(params.request_id))
      }, refusals)
    }))
}))
