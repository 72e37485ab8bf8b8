import * as Listeners from "#layers/http/Listeners.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import { exchange, portOf } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Server } from "node:http"
import { Worker } from "node:worker_threads"

const close = (server: Server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))

/** Requests of one test. */
const most = 64

/** A server that answers after 100 ms, and the last of all requests later. */
const listen = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    let asked = 0
    const answering = createServer().on(
      "request",
      (_, response) => setTimeout(() => response.end("an answer"), ++asked === most ? 300 : 100)
    )
    const server = Listeners.multiply(answering, {})
    server.listen(Listeners.shared({ port: 0, host: "127.0.0.1" }), () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.andThen(Effect.sync(() => server.closeAllConnections()), close(server))
)

const unused = (server: Server) => Listeners.unused({ port: portOf(server.address()), host: "127.0.0.1" })

/** Opens so many connections from a thread of its own, whose loop is not the server's. */
const callers = (port: number, count: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new Worker(
        `const { connect } = require("node:net")
        for (let n = 0; n < ${count}; n++) connect(${port}, "127.0.0.1").on("error", () => undefined)`,
        { eval: true }
      )
    ),
    (worker) => Effect.promise(() => worker.terminate())
  )

// Elsewhere a server listens with one socket, as it always did.
describe.skipIf(process.platform !== "linux")("Listeners", () => {
  it.live("of callers that come at once, many are taken up in each turn of a busy loop", () =>
    Effect.gen(function*() {
      const server = yield* listen
      const count = 400
      let taken = 0
      server.on("connection", () => taken++)
      yield* callers(portOf(server.address()), count)
      const turns = yield* Effect.callback<number>((resume) => {
        let turns = 0
        const turn = () => {
          if (taken === count) return resume(Effect.succeed(turns))
          if (taken > 0) turns++
          for (const until = performance.now() + 3; performance.now() < until;);
          setImmediate(turn)
        }
        turn()
      })
      assert.isBelow(turns, count / 3)
    }))

  it.live("whatever socket took a connection up, its request is answered, and the server closes when all are", () =>
    Effect.gen(function*() {
      const server = yield* listen
      const port = portOf(server.address())
      let asked = 0
      let answered = 0
      const all = Effect.callback<void>((resume) => {
        server.on("request", (_, response) => {
          response.on("close", () => answered++)
          if (++asked === most) resume(Effect.void)
        })
      })
      const closed = Effect.map(Effect.andThen(all, close(server)), () => answered)
      const ask = exchange(port, ["GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
      const asks = Effect.all(Array.from({ length: most }, () => ask), { concurrency: "unbounded" })
      const [before, answers] = yield* Effect.all([closed, asks], { concurrency: 2 })
      assert.strictEqual(before, most)
      assert.deepStrictEqual(answers.map(({ body }) => body), answers.map(() => "an answer"))
      yield* unused(server)
    }))

  it.live("a port on which a server listens is in use, though its sockets would share it", () =>
    Effect.gen(function*() {
      const server = yield* listen
      assert.isTrue(Exit.hasFails(yield* Effect.exit(unused(server))))
    }))
})
