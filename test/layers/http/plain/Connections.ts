import { createServer } from "#layers/http/NodeServer.ts"
import { ahead } from "#layers/http/plain/Ahead.ts"
import { offering } from "#layers/http/plain/Offered.ts"
import type { Send } from "#layers/http/plain/Send.ts"
import * as Written from "#layers/http/plain/Written.ts"
import { portOf } from "#test/layers/http/body/Wire.ts"
import { Clock, Deferred, Effect } from "effect"
import { connect } from "node:net"
import { setImmediate } from "node:timers/promises"

const idle = 65_000

/** A server whose sends are answered with their bodies; those that are not taken, and all else, with what Node heard of them. */
export const serving = Effect.fnUntraced(function*(
  { hold = () => Effect.void, keepAlive = idle, stops = () => false }: {
    readonly keepAlive?: number
    /** Whether the server closes in the turn of this send's answer. */
    readonly stops?: (body: string) => boolean
    /** What the answer to it waits for. */
    readonly hold?: (body: string) => Effect.Effect<void>
  } = {}
) {
  const offered: Array<string> = []
  const measured: Array<string> = []
  const run = Effect.runForkWith(yield* Effect.context())
  /** A send says by its key what becomes of it. */
  const take = ({ answer, others, rawHeaders, read }: Send): boolean => {
    const headerOf = (name: string) => rawHeaders[rawHeaders.indexOf(name) + 1]
    const fate = rawHeaders.includes("Idempotency-Key") ? headerOf("Idempotency-Key") : "taken"
    if (fate === "left") return false
    read(Number(headerOf("Content-Length")), (bytes) => {
      const body = Buffer.from(bytes).toString()
      offered.push(body)
      run(Effect.tap(hold(body), () =>
        Effect.sync(() => {
          const answered = (status: number, last?: "last") =>
            answer({ response: { status, headers: { "x-by": "take" }, body }, replayed: false }, last)
          if (fate !== "given back") answered(202)
          else if (!others()) answered(503, "last")
          if (stops(body)) server.close()
        })))
    })
    return true
  }
  const measure = ({ method }: { readonly method?: string | undefined }) => (status: number | undefined) =>
    void measured.push(`${method} ${status}`)
  const server = ahead(
    createServer({}, offering(take), measure).on("request", (request, response) => {
      let body = ""
      const reply = () => {
        const heard = `${request.method} ${request.url} ${body}`
        response.writeHead(200, { "x-by": "node", "content-length": heard.length }).end(heard)
      }
      // Given back when its body was read.
      if (request.readableEnded) return reply()
      request.setEncoding("utf8").on("data", (text) => body += text).on("end", reply)
    }),
    { take, measure, written: Written.make(yield* Clock.Clock, keepAlive), idle: keepAlive }
  )
  const close = Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => server.listening ? Effect.asVoid(Effect.timeoutOption(close, "5 seconds")) : Effect.void
  )
  return { close, measured, offered, port: portOf(server.address()), server }
})

/** A caller's end: writes, and what has come. */
export const calling = (port: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => connect({ port, host: "127.0.0.1", noDelay: true })),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    (socket) => {
      let text = ""
      const closed = Deferred.makeUnsafe<void>()
      socket.setEncoding("latin1").on("data", (part) => text += part).on("error", () => undefined)
        .on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      return {
        socket,
        /** One after the other, in turns of their own. */
        write: (parts: ReadonlyArray<string>) =>
          Effect.forEach(parts, (part) =>
            Effect.promise(() => {
              socket.write(part, "latin1")
              return setImmediate()
            }), { discard: true }),
        /** Each answer: by whom, and its body. */
        answers: () =>
          text.split(/(?=HTTP\/1\.1 \d)/).filter((answer) => answer !== "").map((answer) =>
            `${/x-by: (\w+)/.exec(answer)?.[1] ?? answer.slice(9, 12)}: ${answer.slice(answer.indexOf("\r\n\r\n") + 4)}`
          ),
        text: () => text,
        closed: Deferred.await(closed)
      }
    }
  )

export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.repeat(Effect.promise(() => setImmediate()), { until: isSo })

/** Turns enough for whatever has nothing to wait for. */
export const turns = Effect.repeat(Effect.promise(() => setImmediate()), { times: 1_000 })

export const send = (body: string, more = ""): string =>
  `POST /send HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
export const other = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
export const last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
