import * as Group from "#layers/http/Group.ts"
import { requestId } from "#layers/http/Ids.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Expansions } from "#src/delivery/Expansions.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /requests. */
export const layer = Group.layer(Effect.gen(function*() {
  const log = yield* MessageLog
  const expansions = yield* Expansions
  return HttpApiBuilder.group(Served, "requests", (handlers) =>
    handlers.handleAll({
      get: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        const found = yield* expansions.find(scope, yield* requestId(params.request_id))
        const { acceptedAt: enqueued, archived, endedAt: completed, error, id, messages, state } = found
        return { requestId: id, state, messages, enqueued, completed, error, archived }
      }, refusals),
      archive: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* log.archive(scope, yield* requestId(params.request_id))
      }, refusals)
    }))
}))
