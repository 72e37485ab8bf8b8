import * as Edge from "#layers/http/Edge.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import { exchange, portOf } from "#test/layers/http/body/Wire.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpRouter } from "effect/http"

describe("Edge", () => {
  it.effect("P9: a defect of a route outside of the API is 500 and tells nothing; the log names no path", () =>
    Effect.gen(function*() {
      const server = createServer()
      const lines: Array<string> = []
      const log = Logger.layer([Logger.map(Logger.formatJson, (line) => lines.push(line))])
      yield* Layer.build(
        HttpRouter.serve(
          Layer.merge(Edge.layer, HttpRouter.add("GET", "/opened/:id", Effect.die(new Error("planted")))),
          { disableLogger: true, disableListenLog: true }
        ).pipe(
          Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })),
          Layer.provide(log)
        )
      )
      const answer = yield* exchange(portOf(server.address()), [
        "GET /opened/canary HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      ])
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(answer.body, `{"message":"An internal error occurred","type":"api_error"}`)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "planted")
      assert.notInclude(lines[0], "canary")
    }))
})
