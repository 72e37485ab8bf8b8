import * as Edge from "#layers/http/Edge.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import { exchange, portOf } from "#test/layers/http/body/Wire.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** A server with this route alone, and what it logs. */
const serving = Effect.fnUntraced(function*(route: Layer.Layer<never, never, HttpRouter.HttpRouter>) {
  const server = createServer()
  const lines: Array<string> = []
  yield* Layer.build(
    HttpRouter.serve(Layer.merge(Edge.layer, route), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })),
      Layer.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => lines.push(line))]))
    )
  )
  const ask = (method: string, target: string) =>
    exchange(portOf(server.address()), [`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`])
  return { ask, get: (target: string) => ask("GET", target), lines }
})

/** Answers what it was asked for: the id in the path, and the query as it came. */
const echo = HttpRouter.add(
  "GET",
  "/ids/:id",
  Effect.gen(function*() {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    return HttpServerResponse.jsonUnsafe({ id: params["id"], query: url.slice(url.indexOf("?")) })
  })
)

describe("Edge", () => {
  it.effect("P10: a semicolon is a character of the id that it is in, and the query stays as it is", () =>
    Effect.gen(function*() {
      const { get } = yield* serving(echo)
      for (const id of ["a;b", ";", "a;b;;c", "a%3Bb"]) {
        const { body, status } = yield* get(`/ids/${id}?x=1;2`)
        assert.deepStrictEqual([status, JSON.parse(body)], [200, { id: decodeURIComponent(id), query: "?x=1;2" }])
      }
    }))

  it.effect("a list in a query may be written with brackets, which stay in paths and values", () =>
    Effect.gen(function*() {
      const { get } = yield* serving(echo)
      const asked = Effect.fnUntraced(function*(target: string) {
        return JSON.parse((yield* get(target)).body)
      })
      const query = "?status=SENT&status=OPENED&tag=a"
      const written = "?status[]=SENT&status%5B%5D=OPENED&tag%5b0%5d=a"
      assert.deepStrictEqual(yield* asked(`/ids/a&b[]=c${written}`), { id: "a&b[]=c", query })
      for (const same of ["?x=a[]=b", "?x=[]", "?[a]=1", "?x[y]=1"]) {
        assert.deepStrictEqual(yield* asked(`/ids/a${same}`), { id: "a", query: same })
      }
    }))

  it.effect("a path that leaves an id out is 404, and does not mean all that the id would be one of", () =>
    Effect.gen(function*() {
      const all = HttpRouter.add("*", "/users/:id/tenants", HttpServerResponse.empty())
      const { ask } = yield* serving(all)
      const status = (method: string, target: string) => Effect.map(ask(method, target), (answer) => answer.status)
      for (const method of ["DELETE", "PUT", "PATCH"]) {
        assert.strictEqual(yield* status(method, "/users/ada/tenants"), 204, method)
        assert.strictEqual(yield* status(method, "/users/ada/tenants/"), 404, method)
        assert.strictEqual(yield* status(method, "/users/ada/tenants/?x=/"), 404, method)
        assert.strictEqual(yield* status(method, "/users/ada/tenants?x=//a/"), 204, method)
      }
      for (const method of ["GET", "POST", "DELETE"]) {
        assert.strictEqual(yield* status(method, "/users//ada/tenants"), 404, method)
        assert.strictEqual(yield* status(method, "//users/ada/tenants"), 204, method)
        assert.strictEqual(yield* status(method, "http://a/users/ada/tenants"), 204, method)
      }
      assert.strictEqual(yield* status("POST", "/users/ada/tenants/"), 204)
      assert.deepStrictEqual(JSON.parse((yield* ask("DELETE", "/users/ada/tenants/")).body), {
        message: "The path leaves an id out: it has an empty segment",
        type: "invalid_request_error"
      })
    }))

  it.effect("a URL with a NUL is 400 wherever the NUL is, before any route", () =>
    Effect.gen(function*() {
      const { get } = yield* serving(echo)
      for (const target of ["/ids/a%00", "/ids/a?x=%00", "/nothing/%00"]) {
        const { body, status } = yield* get(target)
        assert.deepStrictEqual([status, JSON.parse(body)], [400, {
          message: "The URL holds a NUL (%00), which no id and no filter has",
          type: "invalid_request_error"
        }])
      }
    }))

  it.effect("P9: a defect of a route outside of the API is 500 and tells nothing; the log names no path", () =>
    Effect.gen(function*() {
      const { get, lines } = yield* serving(
        HttpRouter.add("GET", "/opened/:id", Effect.die(new Error("planted")))
      )
      const answer = yield* get("/opened/canary")
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(answer.body, `{"message":"An internal error occurred","type":"api_error"}`)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "planted")
      assert.notInclude(lines[0], "canary")
    }))
})
