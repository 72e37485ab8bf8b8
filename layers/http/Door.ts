import { overloaded } from "#layers/http/Replies.ts"
import { Admission } from "#src/access/Admission.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Effect, Metric } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"

const isSend = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "POST" && (url === "/send" || url.startsWith("/send?"))

const refused = Effect.andThen(Metric.update(Metrics.overloaded, 1), overloaded)

/**
 * Answers 503 to sends that would only wait for it, before their bodies are read and their keys looked at: what a refusal costs is taken from
 * those that are accepted.
 */
export const layer = HttpRouter.middleware(
  Effect.map(
    Admission,
    ({ isFull }) => (routes) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => isSend(request) && isFull() ? refused : routes)
  ),
  { global: true }
)
