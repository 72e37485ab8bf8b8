import { isRehearsal } from "#layers/http/Rehearsed.ts"
import { unavailable } from "#layers/http/Replies.ts"
import { AnsweredByLookup } from "#schemas/api/AnsweredByLookup.ts"
import { Unavailable } from "#schemas/api/Errors.ts"
import * as Patience from "#src/store/Patience.ts"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"

/**
 * Answers 503 when the database does not answer in time: no caller waits on a silent connection (P1, reliability.md
 * 2.6).
 */
export class Patient extends HttpApiMiddleware.Service<Patient>()("tidings/http/Patient", { error: Unavailable }) {}

/**
 * The journal and the lookups apply the same time limit themselves. A plain send waits for the journal alone, and reads
 * that are `AnsweredByLookup` for lookups alone: they need no timer and no fiber of their own.
 */
export const layer = Layer.effect(
  Patient,
  Effect.map(Patience.within(Patience.callers), (patiently) => {
    const limited = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.catchTag(patiently(handler), "TimeoutError", () => unavailable)
    return (handler, { endpoint }) => {
      if (Context.get(endpoint.annotations, AnsweredByLookup)) return handler
      if (endpoint.path !== "/send") return limited(handler)
      return Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request) => isRehearsal(endpoint, request) ? limited(handler) : handler
      )
    }
  })
)
