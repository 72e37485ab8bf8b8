import { guard } from "#layers/http/body/BodyGuard.ts"
import { CheckedRequest } from "#layers/http/body/CheckedRequest.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import type { AddressInfo, Socket } from "node:net"
import { connect } from "node:net"

const Api = HttpApi.make("wire").add(
  HttpApiGroup.make("all").add(
    HttpApiEndpoint.post("send", "/send", { payload: Schema.Json, success: Schema.Json }),
    HttpApiEndpoint.post("record", "/record", {
      payload: Schema.Struct({ data: Schema.Record(Schema.String, Schema.Json) }),
      success: Schema.Json
    }),
    HttpApiEndpoint.post("note", "/note", {
      payload: Schema.String.pipe(HttpApiSchema.asText()),
      success: Schema.String
    }),
    HttpApiEndpoint.post("cancel", "/cancel", { success: Schema.Json })
  )
)

/** What `/send` waits for before it answers. */
export const BeforeAnswer = Context.Reference<Effect.Effect<void>>("tidings/test/http/body/BeforeAnswer", {
  defaultValue: () => Effect.void
})

const handlers = HttpApiBuilder.group(Api, "all", (handlers) =>
  handlers.handleAll({
    send: ({ payload, request }) => {
      const bytes = request instanceof CheckedRequest ? request.bytes.length : 0
      const answer = { bytes, echo: bytes > 1000 ? null : payload }
      return Effect.as(Effect.flatten(BeforeAnswer), answer)
    },
    record: ({ payload: { data } }) =>
      Effect.succeed({
        own: Object.keys(data),
        inherits: "polluted" in data,
        polluted: "polluted" in {}
      }),
    note: ({ payload }) => Effect.succeed(payload),
    cancel: () => Effect.succeed({ canceled: true })
  }))

/** The guard before a small HttpApi on a port of its own; `sockets` are the server's ends, in the order they came. */
export const serve = Effect.gen(function*() {
  const server = createServer()
  const sockets: Array<Socket> = []
  server.on("connection", (socket) => sockets.push(socket))
  yield* Layer.build(
    HttpRouter.serve(
      Layer.merge(
        HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
        HttpRouter.middleware(guard, { global: true })
      ),
      { disableLogger: true, disableListenLog: true }
    ).pipe(
      Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 }))
    )
  )
  return { port: portOf(server.address()), sockets }
})

export const portOf = (address: AddressInfo | string | null): number =>
  address === null || typeof address === "string" ? 0 : address.port

/** The status line's number, the header lines in lower case, and the body of one answer. Without `Date`: two answers to one question may fall into two seconds. */
export interface Answer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

const parse = (received: string): Answer => {
  const end = received.indexOf("\r\n\r\n")
  const headers = received.slice(0, end).toLowerCase().replace(/\r\ndate: [^\r]*/, "")
  const body = received.slice(end + 4)
  const isChunked = /\r\ntransfer-encoding: chunked/.test(headers)
  return { status: Number(received.slice(9, 12)), headers, body: isChunked ? unchunked(body) : body }
}

const unchunked = (body: string): string => body.replace(/(?:^|\r\n)[0-9a-f]+\r\n/gi, "").replace(/\r\n$/, "")

/** Writes the parts one after the other on a new connection, as fast as they are taken, and reads until the connection is closed. */
export const exchange = (port: number, parts: Iterable<string | Uint8Array>): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    let received = ""
    const remaining = parts[Symbol.iterator]()
    const socket = connect(port, "127.0.0.1")
    const write = () => {
      while (!socket.destroyed) {
        const { done, value } = remaining.next()
        if (done === true) return
        if (!socket.write(value)) return void socket.once("drain", write)
      }
    }
    socket.on("connect", write)
    socket.setEncoding("utf8").on("data", (text) => received += text)
    // A server that closes while we write answers first: the reset that follows is no news.
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(parse(received))))
    return Effect.sync(() => socket.destroy())
  })

/** Sends the beginning of a request and breaks the connection. */
export const abandon = (port: number, part: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(part, () => socket.resetAndDestroy()))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.void))
  })

/** The head of a POST after which the server closes the connection. */
export const head = (path: string, headers: Readonly<Record<string, string | number>>): string =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", "Connection: close"]
    .concat(Object.entries(headers).map(([name, value]) => `${name}: ${value}`))
    .join("\r\n") + "\r\n\r\n"

/** Posts a body with its length declared, as JSON unless told otherwise. */
export const post = (
  port: number,
  path: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = { "Content-Type": "application/json" }
): Effect.Effect<Answer> =>
  exchange(port, [head(path, { ...headers, "Content-Length": Buffer.byteLength(body) }), body])

/** A body in chunked coding. */
export function* chunked(body: string, size: number): Generator<string> {
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size)
    yield `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  }
  yield "0\r\n\r\n"
}

export const refusal = (message: string): string => JSON.stringify({ message, type: "invalid_request_error" })
