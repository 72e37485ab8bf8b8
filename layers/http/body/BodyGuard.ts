import { CheckedRequest } from "#layers/http/body/CheckedRequest.ts"
import type { BodyTooLarge, NoRoom } from "#layers/http/body/Gathering.ts"
import { findJsonFault } from "#layers/http/body/JsonFault.ts"
import { type JsonSize, jsonSize } from "#layers/http/body/JsonSize.ts"
import { type BodyCut, readBody } from "#layers/http/body/ReadBody.ts"
import { errorBody, errorReply } from "#layers/http/ErrorReply.ts"
import { overloaded } from "#layers/http/Replies.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Effect, Metric } from "effect"
import { Headers, HttpBody, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { isUtf8 } from "node:buffer"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The longest body a request may have: 6 MB, in bytes. */
export const maxBodyBytes = 6 * 1024 * 1024

/**
 * What the JSON of a body may hold: enough for a `to` of 100,000 recipients, say. It is parsed and decoded in one go,
 * while no other request is served: 6 MB of nothing but short members are 700,000 values and take half a second.
 */
const most: JsonSize = { depth: 64, values: 200_000 }

const refuse = (status: number, message: string, headers?: Readonly<Record<string, string>>): Response =>
  errorReply(status, message, "invalid_request_error", headers)

// The rest of these bodies is not read, so the connection is closed after the answer.
const closing = { connection: "close" }
const tooLarge = refuse(413, "Request body exceeds 6 MB", closing)
const cut = refuse(400, "Request body ended before it was complete", closing)
const encoded = refuse(415, "Content-Encoding must be identity: send the request body uncompressed", closing)
const transferred = refuse(415, "Transfer-Encoding must be chunked: send the request body uncompressed", closing)
const notUtf8 = refuse(400, "Body is not valid UTF-8")
const tooDeep = refuse(400, `Body nests deeper than ${most.depth} levels`)
const tooMany = refuse(400, `Body holds more than ${most.values} values: split it into several requests`)

const noRoom = Effect.andThen(
  Metric.update(Metrics.overloaded, 1),
  Effect.map(overloaded, HttpServerResponse.setHeaders(closing))
)

const refusalOf = ({ _tag }: BodyCut | BodyTooLarge | NoRoom): Effect.Effect<Response> =>
  _tag === "NoRoom" ? noRoom : Effect.succeed(_tag === "BodyTooLarge" ? tooLarge : cut)

const hasBody = ({ headers }: Request): boolean => {
  const length = headers["content-length"]
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0")
}

const plainCodings = ["", "identity"]
/** Node undoes the last coding of a transfer, `chunked`, and no other. */
const plainTransfers = [...plainCodings, "chunked"]

const isEncoded = (coding: string | undefined, plain = plainCodings): boolean =>
  coding !== undefined && coding.split(",").some((member) => !plain.includes(member.trim().toLowerCase()))

const mediaType = ({ headers }: Request): string | undefined =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()

/** The request without a content type that is empty, which says no more than none. */
const withoutEmptyType = (request: Request): Request =>
  mediaType(request) === "" ? request.modify({ headers: Headers.remove(request.headers, "content-type") }) : request

const json = "application/json"

// A body without a content type is read as JSON by the endpoints.
const isJson = (type: string | undefined): boolean => type === undefined || type === json || type.endsWith("+json")

const isText = (type: string | undefined): boolean =>
  type?.startsWith("text/") === true || type === "application/x-www-form-urlencoded"

/** The refusal of a JSON text that holds more than a body may; `undefined` if it does not. */
export const excess = (text: string): Response | undefined => {
  const { depth, values } = jsonSize(text, most)
  if (depth > most.depth) return tooDeep
  return values > most.values ? tooMany : undefined
}

/** Checks the body: the request with it, or the refusal. */
const check = (request: Request, bytes: Uint8Array): CheckedRequest | Response => {
  const checked = new CheckedRequest(request, bytes)
  const type = mediaType(request)
  if (!isJson(type)) return isText(type) && !isUtf8(bytes) ? notUtf8 : checked
  if (!isUtf8(bytes)) return notUtf8
  return excess(checked.textUnsafe) ?? checked
}

/**
 * What is wrong with the body of a request that was answered with `status`; `undefined` if the body is not to blame.
 */
const fault = (request: CheckedRequest, status: number): string | undefined => {
  const type = mediaType(request)
  if (status === 415) {
    const named = type === undefined ? "A body without a Content-Type" : `Content-Type ${type}`
    return `${named} is not accepted here; send application/json`
  }
  if (status !== 400 || !isJson(type) || request.textUnsafe === "") return undefined
  const found = findJsonFault(request.textUnsafe)
  return found && `Body is not valid JSON: ${found.reason} at line ${found.line}, column ${found.column}`
}

/**
 * Replaces the endpoint's bare refusal by one that names the fault and its place; `undefined` if the body is not to
 * blame.
 */
const explained = (request: CheckedRequest, response: Response): Response | undefined => {
  const message = fault(request, response.status)
  if (message === undefined) return undefined
  return HttpServerResponse.setBody(response, HttpBody.text(errorBody(message, "invalid_request_error"), json))
}

/**
 * Guards an HTTP handler against bad bodies. A body over 6 MB (declared or received) is 413, one with a content encoding,
 * or a transfer encoding other than `chunked`, 415. JSON deeper than 64 levels or of more than 200,000 values, and text
 * that is not UTF-8, are 400. A body for which there is no room in memory is 503. What passes is read once, and the
 * handler sees it as a `CheckedRequest`.
 *
 * The body is not parsed here but by the endpoint, after authentication. Only if that answers 400 is the text searched
 * for the fault, and the answer then names its place.
 */
export const guard = <E, R>(
  handler: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (received) => {
    const request = withoutEmptyType(received)
    if (!hasBody(request)) {
      // A content type without a body is refused like one with a body, and in the same words.
      return mediaType(received) === undefined
        ? handler
        : answer(handler, new CheckedRequest(request, new Uint8Array()))
    }
    if (isEncoded(request.headers["content-encoding"])) return Effect.succeed(encoded)
    if (isEncoded(request.headers["transfer-encoding"], plainTransfers)) return Effect.succeed(transferred)
    return Effect.matchEffect(readBody(request, maxBodyBytes), {
      onFailure: refusalOf,
      onSuccess: (bytes) => {
        const checked = check(request, bytes)
        return checked instanceof CheckedRequest ? answer(handler, checked) : Effect.succeed(checked)
      }
    })
  })

const answer = <E, R>(handler: Effect.Effect<Response, E, R>, request: CheckedRequest) =>
  Effect.matchCauseEffect(Effect.provideService(handler, HttpServerRequest.HttpServerRequest, request), {
    onSuccess: (response) => Effect.succeed(explained(request, response) ?? response),
    onFailure: (cause) =>
      Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) => {
        const reply = explained(request, response)
        return reply === undefined ? Effect.failCause(cause) : Effect.succeed(reply)
      })
  })
