import { CheckedRequest } from "#layers/http/body/CheckedRequest.ts"
import { overloaded } from "#layers/http/Replies.ts"
import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { Unavailable } from "#schemas/api/Errors.ts"
import { Admission, admitting } from "#src/access/Admission.ts"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"

/**
 * Admits as many sends as the node can take, and answers 503 to the others before their bodies are parsed. It runs
 * after the body guard, so that a slow sender takes up no place. Reads, health checks and writes that bypass the
 * journal are not counted.
 */
export class Admitted extends HttpApiMiddleware.Service<Admitted>()("tidings/http/Admitted", { error: Unavailable }) {}

export const layer = Layer.effect(
  Admitted,
  Effect.map(
    Effect.map(Admission, admitting),
    (admit) => (handler, { endpoint }) =>
      Context.get(endpoint.annotations, CommittedByJournal)
        ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          admit(request instanceof CheckedRequest ? request.bytes.length : 0, handler).pipe(
            Effect.catchTag("Overloaded", () =>
              overloaded)
          ))
        : handler
  )
)
