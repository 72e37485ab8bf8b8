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
})
