import { errorBody } from "#layers/http/ErrorReply.ts"
import { InFlight } from "#src/fibers/InFlight.ts"
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
  maxHeaderSize: 16 * 1024,
  /** Node's own refusal has no body; the routes' has one. */
  requireHostHeader: false
} as const satisfies ServerOptions

/** A connection on which nothing moves while an answer is under way is closed after so long, in ms: its caller reads no more. */
const stalled = 60_000

/** Nobody's client asks for so much before it has an answer. What a caller does not read is held in memory, an answer after the other. */
const mostUnanswered = 32

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

/** An answer without Node's help. */
const written = (status: string, body: string, headers = ""): string =>
  `HTTP/1.1 ${status}\r\nConnection: close\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** What cannot be parsed as HTTP, or comes too slowly, gets an error body like every other refusal; then the connection is closed. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || hasAnswered(socket)) {
    socket.destroy()
    return
  }
  const [status, message] = refusals[error.code ?? ""] ?? malformed
  const body = errorBody(message, "invalid_request_error")
  socket.end(written(status, body), () => socket.destroy())
}

/** Node answers an expectation that it does not know itself, with no body, unless somebody listens. */
const refuseExpectation = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const body = errorBody(`Expect: ${headers.expect ?? ""} is not known here`, "invalid_request_error")
  response.writeHead(417, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
}

const noProxy = errorBody("CONNECT is not served: this is no proxy", "invalid_request_error")

/** Node closes the connection without a word, unless somebody listens. */
const refuseTunnel = (_: IncomingMessage, socket: Duplex): void => {
  socket.on("error", () => socket.destroy())
  socket.end(
    written("405 Method Not Allowed", noProxy, "Allow: GET, HEAD, POST, PUT, PATCH, DELETE\r\n"),
    () => socket.destroy()
  )
}

/**
 * Counts what each connection waits for. One whose caller sends request after request and reads no answer is ended; those of a server that
 * stops end with their next answer, which says so: on a connection that is kept alive callers would ask on until they are cut off.
 */
const connections = () => {
  const unanswered = new WeakMap<Duplex, number>()
  const answering = new InFlight<ServerResponse>()
  const waitingOn = (socket: Duplex | null): number => socket === null ? 0 : unanswered.get(socket) ?? 0
  // With an answer that is not the last one the others of the connection would be lost.
  const endWith = (response: ServerResponse): void => {
    if (!response.headersSent && waitingOn(response.socket) < 2) response.setHeader("connection", "close")
  }
  return {
    stop: (): void => {
      for (const response of answering.values()) endWith(response)
    },
    count: (isStopping: boolean, { socket }: IncomingMessage, response: ServerResponse): void => {
      const waiting = waitingOn(socket) + 1
      unanswered.set(socket, waiting)
      if (waiting > mostUnanswered) return void socket.destroy()
      const entry = answering.add(response)
      response.once("close", () => {
        answering.delete(entry)
        unanswered.set(socket, waitingOn(socket) - 1)
      })
      if (isStopping) endWith(response)
    }
  }
}

/**
 * An offer of another protocol may be declined (RFC 9110, 7.8), and is made with ordinary requests: Java's client does so with its first. Node
 * declines it where nobody listens for upgrades; Effect's server does. (`shouldUpgradeCallback` came with Node 22.21 and 24.9.)
 */
const declineUpgrades = (server: Server): void => {
  server.on("newListener", (event, listener) => {
    if (event === "upgrade") queueMicrotask(() => server.off("upgrade", listener))
  })
}

/**
 * A `node:http` server, on Node and Deno alike, that gives a slow client 10 s for its headers and 30 s for the whole request,
 * and one that does not read its answers 60 s, for 32 requests at most. When it closes, what is under way is answered, and nothing is asked after it.
 */
export const createServer = (options: ServerOptions = {}): Server => {
  const { count: counted, stop } = connections()
  const server = http.createServer({ ...serverOptions, ...options })
  const count = (request: IncomingMessage, response: ServerResponse) => counted(!server.listening, request, response)
  const close = server.close.bind(server)
  server.close = (closed) => {
    stop()
    return close(closed)
  }
  declineUpgrades(server)
  return server
    .on("clientError", refuse)
    .on("checkExpectation", refuseExpectation)
    .on("connect", refuseTunnel)
    .on("request", count)
    .on("checkContinue", count)
    .setTimeout(stalled)
}
