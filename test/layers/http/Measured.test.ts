import * as Cors from "#layers/http/Cors.ts"
import * as Edge from "#layers/http/Edge.ts"
import * as Measured from "#layers/http/Measured.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import { exchange, portOf } from "#test/layers/http/body/Wire.ts"
import * as Prometheus from "#test/support/Prometheus.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { connect } from "node:net"

const family = "tidings_http_request_duration_seconds"

/** How many requests were counted, by method, route and status. */
const counts = Effect.map(PrometheusMetrics.format(), (text) =>
  new Map(
    [...Prometheus.parse(text).get(family)?.samples ?? []].flatMap(([name, value]) => {
      const [, method, route, status] = /_count\{method="([^"]+)",route="([^"]+)",status="([^"]+)"\}$/.exec(name) ?? []
      return method === undefined ? [] : [[`${method} ${route} ${status}`, value] as const]
    })
  ))

describe("Measured", () => {
  it.live("each request is counted once, by the route that answers it, whatever its caller wrote into the path", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const server = createServer(
        {},
        ({ url }, response) => {
          if (url !== "/taken") return undefined
          response.end("taken")
          return "/taken"
        },
        Measured.measuring(yield* Effect.context())
      )
      yield* Layer.build(
        HttpRouter.serve(
          Layer.mergeAll(
            Edge.layer,
            Cors.layer,
            HttpRouter.add("GET", "/ids/:id", HttpServerResponse.text("found")),
            HttpRouter.add("POST", "/ids/:id/fails", Effect.die("on purpose")),
            HttpRouter.add("GET", "/never", Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
          ).pipe(Layer.provide(Measured.layer)),
          { disableLogger: true, disableListenLog: true }
        ).pipe(
          Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })),
          Layer.provide(Layer.succeed(Cors.CorsOrigins, []))
        )
      )
      const port = portOf(server.address())
      const ask = (line: string) => exchange(port, [`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`])
      for (const id of ["ada", "bob", "a;b", "eve?x[]=1"]) yield* ask(`GET /ids/${id}`)
      yield* ask("HEAD /ids/ada")
      yield* ask("POST /ids/ada/fails")
      yield* ask("GET /ids")
      yield* ask("GET /taken")
      const leaving = connect(port, "127.0.0.1")
      leaving.write("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* Deferred.await(asked)
      leaving.destroy()
      const all = {
        "GET /ids/{id} 200": 4,
        "HEAD /ids/{id} 200": 1,
        "POST /ids/{id}/fails 500": 1,
        "GET none 404": 1,
        "GET /taken 200": 1,
        "GET /never none": 1
      }
      const counted = yield* counts.pipe(
        Effect.repeat({ until: (found) => found.size === Object.keys(all).length })
      )
      assert.deepStrictEqual(Object.fromEntries(counted), all)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
})
