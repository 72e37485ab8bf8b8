import { requestId } from "#layers/http/Ids.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** /requests. */
export const layer = HttpApiBuilder.group(
  Served,
  "requests",
  Effect.fnUntraced(function*(handlers) {
    const log = yield* MessageLog
    return handlers.handleAll({
      archive: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* log.archive(scope, yield* requestId(params.request_id))
      }, refusals)
    })
  })
)
