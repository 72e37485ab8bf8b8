import { unavailable } from "#layers/http/Replies.ts"
import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { Unavailable } from "#schemas/api/Errors.ts"
import * as Patience from "#src/store/Patience.ts"
import { Context, Effect, Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Answers 503 when the database does not: nobody waits on a silent connection (P1, reliability.md 2.6). */
export class Patient extends HttpApiMiddleware.Service<Patient>()("tidings/http/Patient", { error: Unavailable }) {}

/** What the journal commits waits for the journal, which has the same patience, and costs no timer of its own. */
export const layer = Layer.effect(
  Patient,
  Effect.map(
    Patience.within(Patience.callers),
    (patiently) => (handler, { endpoint }) =>
      Context.get(endpoint.annotations, CommittedByJournal)
        ? handler
        : Effect.catchTag(patiently(handler), "TimeoutError", () => unavailable)
  )
)
