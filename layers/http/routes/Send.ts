import * as Group from "#layers/http/Group.ts"
import { dryRun, isDryRun } from "#layers/http/Rehearsed.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { fromStored, json } from "#layers/http/StoredReply.ts"
import { BadRequest } from "#schemas/api/Errors.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { Intake } from "#src/delivery/Intake.ts"
import { Rehearsals } from "#src/delivery/Rehearsals.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** POST /send. */
export const layer = Group.layer(Effect.gen(function*() {
  const intake = yield* Intake
  const rehearsals = yield* Rehearsals

  const rehearse = Effect.fnUntraced(function*(message: SendMessage, header: string | undefined) {
    if (isDryRun(header) === undefined)
      return yield* new BadRequest({ message: "Tidings-Dry-Run: Expected true or false" })
    const principal = yield* CurrentPrincipal
    return dryRun(yield* refusals(rehearsals.send(principal, message)))
  })

  return HttpApiBuilder.group(Served, "send", (handlers) =>
    handlers.handleAll({
      send: ({ payload, request }) =>
        isDryRun(request.headers["tidings-dry-run"]) === false
          ? CurrentPrincipal.use((principal) =>
            intake.send(principal, payload.message, (requestId) => json(202, { requestId }))
          ).pipe(
            Effect.map(fromStored),
            refusals
          )
          : rehearse(payload.message, request.headers["tidings-dry-run"])
    }))
}))
