import * as Faults from "#layers/http/body/Faults.ts"
import { errorReply } from "#layers/http/ErrorReply.ts"
import * as NoSuchName from "#layers/http/NoSuchName.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { BadRequest, Conflict, InternalError, LimitExceeded, NotFound, Unavailable } from "#schemas/api/Errors.ts"
import { NotCancelable } from "#schemas/api/Messages.ts"
import { TopicsRefused } from "#schemas/api/UserPreferences.ts"
import { Array, Cause, Effect, Layer, Random, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, HttpApiMiddleware } from "effect/http-api"

type Response = HttpServerResponse.HttpServerResponse
type Endpoint = Pick<HttpApiEndpoint.Top, "method" | "path" | "payload">

/**
 * Turns everything that an endpoint can end with into a response, so that the middlewares around it see only responses.
 */
export class Replies extends HttpApiMiddleware.Service<Replies>()("tidings/http/Replies", {
  error: [BadRequest, InternalError, Unavailable]
}) {}

export const badRequest = (message: string): Response => errorReply(400, message, "invalid_request_error")

const internalError = errorReply(500, "An internal error occurred", "api_error")

/**
 * The headers that a 503 may have. `Retry-After` is chosen at random, from 1 to 10 s, so that callers do not all come
 * back at once after an outage.
 */
const delays = Array.makeBy(10, (n) => ({ "retry-after": String(n + 1) }))

export const retryAfter = Random.choice(delays)

const after = (message: string) => Array.map(delays, (headers) => errorReply(503, message, "api_error", headers))

const later = (message: string): Effect.Effect<Response> => Random.choice(after(message))

const unread = later("The service is not available right now")
/** The answer to a write that the database did not take, or did not answer in time. */
export const unstored = later("The service is not available right now; nothing is known to be stored")

export const unavailable = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  ({ method }) => method === "GET" || method === "HEAD" ? unread : unstored
)

/** The answers when more is asked than this node can do, of which each caller gets one at random. */
export const overloads = after("The service has more to do than it can; nothing of this request was stored")
export const overloaded: Effect.Effect<Response> = Random.choice(overloads)

/**
 * Answers 500 and logs the cause. `route` is the pattern without its parameters filled in, which may be addresses (P9).
 */
export const crashed = (cause: Cause.Cause<unknown>, route: string): Effect.Effect<Response> =>
  Effect.as(Effect.logError("Request failed", route, cause), internalError)

const encodeRefused = Schema.encodeUnknownEffect(Schema.toCodecJson(TopicsRefused))
const encodeRecord = Schema.encodeUnknownEffect(Schema.toCodecJson(NotCancelable))

/** Marks a conflict that no retry will resolve; without it, the published client would retry twice. */
const final = { "x-should-retry": "false" }

const conflict = (error: NotCancelable) =>
  Effect.map(
    Effect.orDie(encodeRecord(error)),
    (record) => HttpServerResponse.jsonUnsafe(record, { status: 409, headers: final })
  )

const refusedTopics = (error: TopicsRefused) =>
  Effect.map(Effect.orDie(encodeRefused(error)), (body) => HttpServerResponse.jsonUnsafe(body, { status: 400 }))

/** The response to a failure; `undefined` if the failure is a bug of this server. */
const reply = (
  error: unknown,
  endpoint: Endpoint
): Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest> | undefined => {
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    const { cause: { issue }, kind } = error
    if (kind === "Body" || kind === "ResponseHeaders") return undefined
    const told = kind === "Payload" ? Faults.all(endpoint, issue) : Effect.succeed(issue)
    return Effect.map(told, (found) => badRequest(sentence(found)))
  }
  if (error instanceof BadRequest) return Effect.succeed(badRequest(error.message))
  if (error instanceof LimitExceeded) return Effect.succeed(errorReply(402, error.message, error.type))
  if (error instanceof NotFound) return Effect.succeed(errorReply(404, error.message, error.type))
  if (error instanceof Conflict) return Effect.succeed(errorReply(409, error.message, error.type, final))
  if (error instanceof TopicsRefused) return refusedTopics(error)
  if (error instanceof NotCancelable) return conflict(error)
  return error instanceof Unavailable ? unavailable : undefined
}

const failed = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>, endpoint: Endpoint) {
  const { method, path } = endpoint
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  const { params } = yield* HttpRouter.RouteContext
  const told = reply(NoSuchName.missing(failure, path, params) ?? failure, endpoint)
  return yield* told ?? crashed(cause, `${method} ${path}`)
})

export const layer = Layer.succeed(
  Replies,
  (handler, { endpoint }) =>
    Effect.catchCause(
      handler,
      (cause) => Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failed(cause, endpoint)
    )
)
