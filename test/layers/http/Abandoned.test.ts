import { createServer } from "#layers/http/NodeServer.ts"
import { portOf } from "#test/layers/http/body/Wire.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { connect } from "node:net"

const pipelined = 20

describe("NodeServer", () => {
  it.live("a request ends once, also one whose caller leaves before its turn on the connection", () =>
    Effect.gen(function*() {
      const [allCame, allEnded] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const ends = Array.from({ length: pipelined }, () => 0)
      let begun = 0
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          createServer({}, () => undefined, () => {
            const own = begun++
            if (begun === pipelined) Deferred.doneUnsafe(allCame, Effect.void)
            return () => {
              ends[own] = (ends[own] ?? 0) + 1
              if (ends.every((times) => times > 0)) Deferred.doneUnsafe(allEnded, Effect.void)
            }
          }).listen(0, "127.0.0.1")
        ),
        (server) => Effect.sync(() => server.close().closeAllConnections())
      )
      yield* Effect.promise(() => new Promise<void>((resolve) => server.once("listening", resolve)))
      const caller = connect(portOf(server.address()), "127.0.0.1")
      caller.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(pipelined))
      yield* Deferred.await(allCame)
      caller.destroy()
      yield* Deferred.await(allEnded)
      assert.deepStrictEqual(ends, ends.map(() => 1))
    }))

  it.live("a request that breaks off behind another one ends no process: its error is heard when nobody reads it any more", () =>
    Effect.gen(function*() {
      const errors = yield* Deferred.make<number>()
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => createServer().listen(0, "127.0.0.1")),
        (server) => Effect.sync(() => server.close().closeAllConnections())
      )
      yield* Effect.promise(() => new Promise<void>((resolve) => server.once("listening", resolve)))
      let heard = 0
      server.on("request", (request, response) => {
        if (request.url !== "/second") return
        const listen = () => undefined
        // Read as a fiber does, which is interrupted when its answer has nobody to go to: just before Node tells.
        request.on("error", listen).on("data", () => undefined)
        response.once("close", () => {
          request.off("error", listen)
          heard = request.listenerCount("error")
        })
        request.once("close", () => Deferred.doneUnsafe(errors, Effect.succeed(heard)))
        caller.resetAndDestroy()
      })
      const caller = connect(portOf(server.address()), "127.0.0.1")
      caller.on("error", () => undefined)
      const head = (path: string, length: number) =>
        `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
      caller.write(`${head("/first", 0)}${head("/second", 4)}ab`)
      assert.strictEqual(yield* Deferred.await(errors), 1)
    }))
})
