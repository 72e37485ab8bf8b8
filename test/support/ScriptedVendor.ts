import * as Loopback from "#test/support/Loopback.ts"
import { Deferred, Effect } from "effect"
import { cert, key } from "#test/layers/outbound/TestCertificate.ts"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import {
  constants,
  createSecureServer as createSecureServer2,
  createServer as createServer2,
  type Http2ServerRequest,
  type Http2ServerResponse
} from "node:http2"
import { createServer as createSecureServer } from "node:https"
import type { Server } from "node:net"
import type { Duplex } from "node:stream"
import { gzipSync } from "node:zlib"

/** A request as it came over the wire; header names in lower case. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly version: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The body goes out compressed, whatever was asked for. */
  readonly gzip?: boolean
}

/** What a vendor does with a request: an answer, or one of the ways not to give one. */
export type Reply =
  | Answer
  /** The connection is reset before, amid or after the request's body. */
  | { readonly reset: "before" | "during" | "after" }
  /** A 200 whose body ends before its length. */
  | { readonly cut: string }
  /** Everything is read and nothing said. */
  | "silence"
  /** A 200 that sends a byte now and then, and never ends. */
  | "drip"

type Incoming = IncomingMessage | Http2ServerRequest
type Outgoing = ServerResponse | Http2ServerResponse

/** A chunk of an answer; the two kinds of response overload `write` differently. */
const push = (response: Outgoing, chunk: string, done: () => void = () => {}) =>
  "stream" in response ? response.write(chunk, done) : response.write(chunk, done)

const reset = (request: Incoming) => {
  if ("stream" in request) {
    request.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    request.stream.session?.destroy()
  } else request.socket.resetAndDestroy()
}

const write = (response: Outgoing, { body = "", gzip = false, headers = {}, status }: Answer) => {
  response.statusCode = status
  if (gzip) response.setHeader("content-encoding", "gzip")
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(gzip ? gzipSync(body) : body)
}

const drip = (response: Outgoing, stalled: () => void) => {
  response.statusCode = 200
  response.setHeader("content-type", "application/json")
  let gone = 0
  const timer = setInterval(() => push(response, " ", () => ++gone === 3 ? stalled() : undefined), 20)
  response.once("close", () => clearInterval(timer))
}

const perform = (request: Incoming, response: Outgoing, reply: Reply, stalled: () => void) => {
  if (reply === "silence") return stalled()
  if (reply === "drip") return drip(response, stalled)
  if ("reset" in reply) return reset(request)
  if ("status" in reply) return write(response, reply)
  response.statusCode = 200
  response.setHeader("content-length", reply.cut.length + 100)
  push(response, reply.cut, () => setTimeout(() => reset(request), 5))
}

const early = (reply: Reply, when: "before" | "during"): boolean =>
  typeof reply === "object" && "reset" in reply && reply.reset === when

/**
 * A vendor on loopback, over HTTP/1.1 or HTTP/2, in clear text or with the test's certificate, that answers each request as the script says. The script
 * is asked twice: when the head has come, and with the body. `closed` is done when the first connection ends, `stalled`
 * when a request has all been read, and its answer is silence, or three bytes of a drip.
 */
export const listen = Effect.fnUntraced(function*(options: {
  readonly http2?: boolean
  readonly secure?: boolean
  readonly script: (seen: Seen) => Reply
}) {
  const seen: Array<Seen> = []
  const closed = yield* Deferred.make<void>()
  const stalled = yield* Deferred.make<void>()
  let connections = 0
  const handle = (request: Incoming, response: Outgoing) => {
    const head = {
      method: request.method ?? "",
      path: request.url ?? "",
      version: request.httpVersion,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, `${value}`])),
      body: ""
    }
    request.on("error", () => {})
    response.on("error", () => {})
    const chunks: Array<Buffer> = []
    const first = options.script(head)
    if (early(first, "before")) return reset(request)
    request.on("data", (chunk: Buffer) => {
      if (early(first, "during")) return reset(request)
      chunks.push(chunk)
    })
    request.on("end", () => {
      const whole = { ...head, body: Buffer.concat(chunks).toString() }
      seen.push(whole)
      perform(request, response, options.script(whole), () => Deferred.doneUnsafe(stalled, Effect.void))
    })
  }
  const secure = options.secure === true
  const server: Server = options.http2 === true
    ? secure ? createSecureServer2({ cert, key }, handle) : createServer2(handle)
    : secure
    ? createSecureServer({ cert, key }, handle)
    : createServer(handle)
  server.on("connection", (socket: Duplex) => {
    connections++
    socket.on("error", () => {})
    socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
  })
  const port = yield* Loopback.listen(server)
  return {
    origin: `${secure ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    seen,
    connections: () => connections,
    closed,
    stalled
  }
})
