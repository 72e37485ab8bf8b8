import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { fromStored, json } from "#layers/http/StoredReply.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Intake } from "#src/delivery/Intake.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** POST /send. */
export const layer = HttpApiBuilder.group(
  Served,
  "send",
  Effect.fnUntraced(function*(handlers) {
    const intake = yield* Intake
    return handlers.handleAll({
      send: ({ payload }) =>
        CurrentPrincipal.use((principal) =>
          intake.send(principal, payload.message, (requestId) => json(202, { requestId }))
        ).pipe(
          Effect.map(fromStored),
          refusals
        )
    })
  })
)
