import type { Measure } from "#layers/http/Measured.ts"
import { errorBody } from "#layers/http/ErrorReply.ts"
import { InFlight } from "#src/fibers/InFlight.ts"
import { Predicate } from "effect"
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

// Importing node:http as a module evaluates its lazy WebSocket exports, which cost 50 ms at start.
const http = process.getBuiltinModule("node:http")

/**
 * Takes a request in order to answer it, and says by which route; `undefined` leaves it to `others`. One that was taken
 * may be given to `others` later, who answer false if nobody is there any more.
 */
export type Take = (request: IncomingMessage, response: ServerResponse, others: () => boolean) => string | undefined

/** In ms. Longer than the 60 s of common load balancers, so that they, not this server, close an idle connection. */
export const keepAlive = 65_000

/** Times are milliseconds, `maxHeaderSize` is bytes. */
const serverOptions = {
  /** From the start of a request (or of the connection) to the end of its headers. */
  headersTimeout: 10_000,
  /** From the start of a request to the end of its body. */
  requestTimeout: 30_000,
  /** How often the two limits above are checked. Node's default of 30 s would let them grow to 40 s and 60 s. */
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: keepAlive,
  maxHeaderSize: 16 * 1024,
  /** Node's own refusal has no body; the one of the routes has. */
  requireHostHeader: false
} as const satisfies ServerOptions

/**
 * In ms: a connection on which nothing moves for so long while an answer is under way is closed, since its caller no
 * longer reads.
 */
const stalled = 60_000

/**
 * In ms: how long a server that closes waits for the first request of a connection. Node would wait for as long as the
 * connection is open, since it takes such a one for busy.
 */
const speechless = 1_000

/**
 * Unanswered requests per connection. No ordinary client pipelines so many, and the answers that a caller does not read
 * pile up in memory.
 */
const mostUnanswered = 32

const refusals: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time"],
  HPE_INVALID_URL: ["400 Bad Request", "The URL is not valid: percent-encode what is not ASCII"],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "Request headers exceed 16 kB"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "Chunk extensions are too long"]
}
const malformed = ["400 Bad Request", "The request is not valid HTTP"] as const

const hasAnswered = (socket: Duplex): boolean => {
  const response: unknown = Reflect.get(socket, "_httpMessage")
  return Predicate.hasProperty(response, "headersSent") && response.headersSent === true
}

/** A raw HTTP answer, for a socket without a `ServerResponse`. */
const written = (status: string, body: string, headers = ""): string =>
  `HTTP/1.1 ${status}\r\nConnection: close\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Answers what cannot be parsed as HTTP, or comes too slowly, with an error body like that of every other refusal. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || hasAnswered(socket)) {
    socket.destroy()
    return
  }
  const [status, message] = refusals[error.code ?? ""] ?? malformed
  const body = errorBody(message, "invalid_request_error")
  socket.end(written(status, body), () => socket.destroy())
}

/**
 * Without a listener, Node answers an unknown expectation itself, with no body. The connection ends: whether the caller
 * sends the request's body after this answer is not known, and its next request would be taken for that.
 */
const refuseExpectation = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const body = errorBody(`Expect: ${headers.expect ?? ""} is not known here`, "invalid_request_error")
  const length = Buffer.byteLength(body)
  response.writeHead(417, { "connection": "close", "content-type": "application/json", "content-length": length })
    .end(body)
}

const noProxy = errorBody("CONNECT is not served: this is no proxy", "invalid_request_error")

/** Without a listener, Node closes the connection of a CONNECT without an answer. */
const refuseTunnel = (_: IncomingMessage, socket: Duplex): void => {
  socket.on("error", () => socket.destroy())
  socket.end(
    written("405 Method Not Allowed", noProxy, "Allow: GET, HEAD, POST, PUT, PATCH, DELETE\r\n"),
    () => socket.destroy()
  )
}

/** An answer under way, and its connection: Node gives an answer its `socket` only when its turn on it comes. */
interface Answer {
  readonly response: ServerResponse
  readonly socket: Duplex
  /** The route of one that was taken before the server's listeners heard of it. */
  route?: string | undefined
  /** It is given, or nobody waits for it any more. Idempotent. */
  end: () => void
}

/**
 * Counts the unanswered requests of each connection. A connection whose caller sends request after request without
 * reading the answers is destroyed. When the server stops, each connection ends with the last answer that is due on it,
 * which says so (`Connection: close`): otherwise callers would send on over kept-alive connections until they are cut
 * off.
 */
const connections = (measure: Measure) => {
  const open = new InFlight<Socket>()
  const unanswered = new WeakMap<Duplex, number>()
  const answering = new InFlight<Answer>()
  const ending = new WeakMap<Duplex, ServerResponse>()
  const unreadable = new WeakSet<Duplex>()
  const waitingOn = (socket: Duplex): number => unanswered.get(socket) ?? 0
  const dueOn = (socket: Duplex): ReadonlyArray<Answer> =>
    [...answering.values()].filter((answer) => answer.socket === socket)
  const endWith = ({ response, socket }: Answer): void => {
    const earlier = ending.get(socket)
    // Node would close the connection behind it, and the later answers would be lost.
    if (earlier?.headersSent === false) earlier.removeHeader("connection")
    ending.set(socket, response)
    if (!response.headersSent) response.setHeader("connection", "close")
  }
  return {
    /**
     * Requests that came whole before what cannot be read are answered, and the connection ends with the last of them: a
     * refusal in their place would say that they were not served.
     */
    refused: (error: NodeJS.ErrnoException, socket: Duplex): void => {
      // Node tells of each further piece.
      if (unreadable.has(socket)) return
      unreadable.add(socket)
      const due = dueOn(socket).filter(({ response }) => response.req.complete)
      for (const answer of due) endWith(answer)
      const last = due.at(-1)
      if (last === undefined) return refuse(error, socket)
      last.response.once("close", () => socket.end(() => socket.destroy()))
    },
    opened: (socket: Socket): void => {
      const entry = open.add(socket)
      socket.once("close", () => {
        open.delete(entry)
        // Deno tells nothing of an answer whose turn on its connection has not come.
        if (waitingOn(socket) > 0) { for (const answer of dueOn(socket)) answer.end() }
      })
    },
    leaveSilent: (): void => {
      for (const socket of open.values()) if (socket.bytesRead === 0) socket.destroy()
    },
    stop: (): void => {
      for (const answer of answering.values()) endWith(answer)
    },
    count: (isStopping: boolean, request: IncomingMessage, response: ServerResponse): Answer => {
      const { socket } = request
      // Of a request that breaks off Node tells a tick after it has seen that somebody listens, who may be gone by then:
      // an error that nobody hears ends the process.
      request.on("error", () => undefined)
      const answer: Answer = { response, socket, end: () => undefined }
      const waiting = waitingOn(socket) + 1
      unanswered.set(socket, waiting)
      if (waiting > mostUnanswered) {
        socket.destroy()
        return answer
      }
      const entry = answering.add(answer)
      const ended = measure(request)
      let isOver = false
      answer.end = () => {
        if (isOver) return
        isOver = true
        answering.delete(entry)
        unanswered.set(socket, waitingOn(socket) - 1)
        ended(response.writableFinished ? response.statusCode : undefined, answer.route)
      }
      response.once("close", answer.end)
      if (isStopping) endWith(answer)
      return answer
    }
  }
}

/**
 * A server may ignore the offer of another protocol (RFC 9110, 7.8), which ordinary requests may carry: Java's client
 * makes one with its first request. Node ignores it if nothing listens for upgrades, but Effect's server does listen;
 * so its listener is removed. (`shouldUpgradeCallback` came with Node 22.21 and 24.9.)
 */
const declineUpgrades = (server: Server): void => {
  server.on("newListener", (event, listener) => {
    if (event === "upgrade") queueMicrotask(() => server.off("upgrade", listener))
  })
}

/**
 * Offers each request to `take` before the server's listeners hear of it: one of them is Effect's, which answers every
 * request that it hears of.
 */
const offer = (server: Server, take: Take): void => {
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...given: ReadonlyArray<unknown>): boolean => {
    const [request, response] = given
    const taken = event === "request" && request instanceof http.IncomingMessage &&
      response instanceof http.ServerResponse && take(request, response, () => emit(event, request, response))
    return typeof taken === "string" || emit(event, ...given)
  }
}

/**
 * A `node:http` server, on Node and Deno alike, whose listeners do not hear of a request that `take` takes. It gives a
 * slow client 10 s for its headers and 30 s for the whole request. A client that does not read its answers is cut off
 * after 60 s, or after 32 unanswered requests. When the server closes, requests under way are answered, and their
 * connections then end; one on which nothing ever came ends after 1 s.
 */
export const createServer = (
  options: ServerOptions = {},
  take: Take = () => undefined,
  measure: Measure = () => () => undefined
): Server => {
  const { count: counted, leaveSilent, opened, refused, stop } = connections(measure)
  const server = http.createServer({ ...serverOptions, ...options })
  const count = (request: IncomingMessage, response: ServerResponse) => counted(!server.listening, request, response)
  offer(server, (request, response, others) => {
    const answer = count(request, response)
    answer.route = take(request, response, others)
    return answer.route
  })
  const close = server.close.bind(server)
  server.close = (closed) => {
    stop()
    const last = setTimeout(leaveSilent, speechless)
    server.once("close", () => clearTimeout(last))
    return close(closed)
  }
  declineUpgrades(server)
  return server
    .on("connection", opened)
    .on("clientError", refused)
    .on("checkExpectation", refuseExpectation)
    .on("connect", refuseTunnel)
    .on("checkContinue", count)
    .setTimeout(stalled)
}
