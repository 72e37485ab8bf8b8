import { errorReply } from "#layers/http/ErrorReply.ts"
import * as NotServed from "#layers/http/NotServed.ts"
import { badRequest, crashed } from "#layers/http/Replies.ts"
import { Cause, Effect, type Layer, Predicate } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest } from "effect/http"

const notFound = (path: string) => errorReply(404, NotServed.sentence(path) ?? "Not Found", "invalid_request_error")
const withNul = badRequest("The URL holds a NUL (%00), which no id and no filter has")
const misspelt = badRequest("The path is not valid percent-encoding")

const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

const isDecodable = (path: string): Effect.Effect<boolean> =>
  Effect.isSuccess(Effect.try({ try: () => decodeURIComponent(path), catch: Predicate.isError }))

const isUnrouted = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) =>
    Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error) &&
    reason.error.reason._tag === "RouteNotFound"
  )

const unrouted = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => {
    const path = pathOf(url)
    return Effect.map(isDecodable(path), (decodable) => decodable ? notFound(path) : misspelt)
  }
)

/** The router ends a path at `;`, which is an ordinary character of the ids in it (RFC 3986, 3.3). */
const withSemicolons = (request: HttpServerRequest.HttpServerRequest) => {
  const path = pathOf(request.url)
  return request.modify({ url: path.replaceAll(";", "%3B") + request.url.slice(path.length) })
}

/**
 * The outermost of the routes: a path or method that is none of ours is 404 (with a sentence for those
 * that callers of the compatible service know), and a defect that nobody answered is 500. No store takes a
 * NUL, so a URL that holds one is refused here for all routes.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.middleware((routes) => {
  const answered = Effect.catchCause(routes, (cause) =>
    isUnrouted(cause)
      ? unrouted
      : Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : crashed(cause, "outside of the API"))
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (request.url.includes("%00")) return Effect.succeed(withNul)
    return request.url.includes(";")
      ? Effect.provideService(answered, HttpServerRequest.HttpServerRequest, withSemicolons(request))
      : answered
  })
}, { global: true })
