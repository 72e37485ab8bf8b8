import { unavailable } from "#layers/http/Replies.ts"
import { AnsweredByLookup } from "#schemas/api/AnsweredByLookup.ts"
import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { Unavailable } from "#schemas/api/Errors.ts"
import * as Patience from "#src/store/Patience.ts"
import { Context, Effect, Layer } from "effect"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"

/**
 * Answers 503 when the database does not answer in time: no caller waits on a silent connection (P1, reliability.md
 * 2.6).
 */
export class Patient extends HttpApiMiddleware.Service<Patient>()("tidings/http/Patient", { error: Unavailable }) {}

/**
 * The journal and the lookups apply the same time limit themselves: an endpoint that waits only for one of them needs
 * no timer and no fiber of its own.
 */
const isPatientItself = ({ annotations }: Pick<HttpApiEndpoint.Top, "annotations">): boolean =>
  Context.get(annotations, CommittedByJournal) || Context.get(annotations, AnsweredByLookup)

export const layer = Layer.effect(
  Patient,
  Effect.map(
    Patience.within(Patience.callers),
    (patiently) => (handler, { endpoint }) =>
      isPatientItself(endpoint)
        ? handler
        : Effect.catchTag(patiently(handler), "TimeoutError", () => unavailable)
  )
)
