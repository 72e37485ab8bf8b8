import { errorReply } from "#layers/http/ErrorReply.ts"
import * as NotServed from "#layers/http/NotServed.ts"
import { badRequest, crashed, unavailable } from "#layers/http/Replies.ts"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect, type Layer, Predicate } from "effect"
import { HttpEffect, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"

const notFound = (path: string) => errorReply(404, NotServed.sentence(path) ?? "Not Found", "invalid_request_error")
const withNul = badRequest("The URL holds a NUL (%00), which no id and no filter has")
const ofNobody = HttpServerResponse.setHeader(
  badRequest("A request of HTTP/1.1 needs one Host header"),
  "connection",
  "close"
)
const leavesIdOut = errorReply(404, "The path leaves an id out: it has an empty segment", "invalid_request_error")
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

/**
 * Someone who opens the server in a browser wants to know what it is. Relative, since the server may be served under a
 * prefix.
 */
const toDocs = HttpServerResponse.redirect("docs", { headers: { vary: "accept" } })

const isBrowser = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  (method === "GET" || method === "HEAD") && headers["accept"]?.includes("text/html") === true

const unrouted = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) => {
    const path = pathOf(request.url)
    if (path === "/" && isBrowser(request)) return Effect.succeed(toDocs)
    return Effect.map(isDecodable(path), (decodable) => decodable ? notFound(path) : misspelt)
  }
)

/**
 * Whether an HTTP/1.1 request has exactly one `Host` header (RFC 9112, 3.2). Node is told to leave this check to the
 * routes (`NodeServer`).
 */
const hasHost = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { httpVersion, rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  if (httpVersion !== "1.1") return true
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts === 1
}

/**
 * Whether an id is left out of a path, as where a caller's variable is empty. The router passes over empty segments:
 * `DELETE /users/ada/tenants/` would remove Ada from every tenant, and `DELETE /profiles//lists` the profile of a user
 * `lists`. A slash at the end of what is read or posted to names no id.
 */
const lacksId = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean => {
  const path = pathOf(url)
  return path.indexOf("//", 1) !== -1 || (["PUT", "PATCH", "DELETE"].includes(method) && path.endsWith("/"))
}

/** A name as in `status[]=SENT` and `status[0]=SENT`, which is how many clients write a list in a query. */
const bracketed = /([?&][^=&?[%]*)(?:\[|%5B)\d*(?:\]|%5D)=/gi

/**
 * The URL as the router and the endpoints read it. The router ends a path at `;`, which is an ordinary character of the
 * ids in it (RFC 3986, 3.3). The endpoints ignore parameters of names that they do not know, such as `status[]`, which
 * would list everything.
 */
const readable = (url: string): string => {
  const path = pathOf(url)
  return path.replaceAll(";", "%3B") + url.slice(path.length).replaceAll(bracketed, "$1=")
}

/** Says in words what Effect answers to a request that the server's end has interrupted: a bare 503. */
const worded = HttpEffect.withPreResponseHandler((request, response) =>
  response.status === 503 && response.body._tag === "Empty"
    ? Effect.provideService(unavailable, HttpServerRequest.HttpServerRequest, request)
    : Effect.succeed(response)
)

/**
 * Wraps all routes. A path or method that does not exist here is 404, with a sentence of its own for those that callers
 * of the compatible service know; a browser at the root is redirected to the reference. A defect that nothing else
 * answered is 500. No store accepts a NUL, so a URL that contains one is refused here for all routes, and so is a path that
 * leaves an id out.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.middleware((routes) => {
  const answered = worded(Effect.catchCause(routes, (cause) =>
    isUnrouted(cause)
      ? unrouted
      : Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : crashed(cause, "outside of the API")))
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (!hasHost(request)) return Effect.succeed(ofNobody)
    if (request.url.includes("%00")) return Effect.succeed(withNul)
    if (lacksId(request)) return Effect.succeed(leavesIdOut)
    const url = readable(request.url)
    return url === request.url
      ? answered
      : Effect.provideService(answered, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })
}, { global: true })
