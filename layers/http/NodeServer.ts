import { errorBody } from "#layers/http/ErrorReply.ts"
import { Predicate } from "effect"
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

// Importing node:http as a module evaluates its lazy WebSocket exports, which cost 50 ms at start.
const http = process.getBuiltinModule("node:http")

/** Times are milliseconds, `maxHeaderSize` is bytes. */
const serverOptions = {
  /** From the start of a request (or of the connection) to the end of its headers. */
  headersTimeout: 10_000,
  /** To the end of its body. */
  requestTimeout: 30_000,
  /** How often the two are looked at. Node's own 30 s would make them 40 s and 60 s. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s of the usual load balancers, so that they and not we close an idle connection. */
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024
} as const satisfies ServerOptions

const refusals: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time"],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "Request headers exceed 16 kB"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "Chunk extensions are too long"]
}
const malformed = ["400 Bad Request", "The request is not valid HTTP"] as const

const hasAnswered = (socket: Duplex): boolean => {
  const response: unknown = Reflect.get(socket, "_httpMessage")
  return Predicate.hasProperty(response, "headersSent") && response.headersSent === true
}

/** What cannot be parsed as HTTP, or comes too slowly, gets an error body like every other refusal; then the connection is closed. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || hasAnswered(socket)) {
    socket.destroy()
    return
  }
  const [status, message] = refusals[error.code ?? ""] ?? malformed
  const body = errorBody(message, "invalid_request_error")
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy()
  )
}

/** Node answers an expectation that it does not know itself, with no body, unless somebody listens. */
const refuseExpectation = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const body = errorBody(`Expect: ${headers.expect ?? ""} is not known here`, "invalid_request_error")
  response.writeHead(417, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
}

/** A `node:http` server, on Node and Deno alike, that gives a slow client 10 s for its headers and 30 s for the whole request. */
export const createServer = (options: ServerOptions = {}): Server =>
  http.createServer({ ...serverOptions, ...options })
    .on("clientError", refuse)
    .on("checkExpectation", refuseExpectation)
