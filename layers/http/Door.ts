import * as Measured from "#layers/http/Measured.ts"
import { overloaded } from "#layers/http/Replies.ts"
import { Admission } from "#src/access/Admission.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Effect, Metric } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"

const isSend = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "POST" && (url === "/send" || url.startsWith("/send?"))

/** The answer to a send that is not let in. */
const refused = Effect.andThen(Metric.update(Metrics.overloaded, 1), overloaded)

/**
 * Answers 503 to sends when the queue of sends is full, before their bodies are read and their keys are checked: what a
 * refusal costs is lost to the sends that are accepted.
 */
export const layer = HttpRouter.middleware(
  Effect.map(
    Admission,
    ({ isFull }) => (routes) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        if (!isSend(request) || !isFull()) return routes
        Measured.by(request, "/send")
        return refused
      })
  ),
  { global: true }
)
