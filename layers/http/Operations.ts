import * as Gauges from "#layers/telemetry/Gauges.ts"
import * as Patience from "#layers/postgres/Patience.ts"
import { ShardCount } from "#src/delivery/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

const notReady = (message: string) => HttpServerResponse.jsonUnsafe({ message, type: "api_error" }, { status: 503 })

/** The operator's routes (design.md §6); they need no key. `alone`: this node is the only one, so every shard must be its own. */
export const layer = (options: { readonly alone: boolean }) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const shards = yield* Shards
    const backlogs = yield* Backlogs
    const count = yield* ShardCount
    const measure = yield* Gauges.make
    const patiently = yield* Patience.within(Patience.callers)

    yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "up" }))
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.gen(function*() {
        yield* patiently(backlogs.ping)
        const running = (yield* shards.owned).length
        const wanted = options.alone ? count : 1
        return running < wanted
          ? notReady(`${running} of ${count} shards run here so far`)
          : HttpServerResponse.jsonUnsafe({ status: "ready", shards: running })
      }).pipe(Effect.catch(() => Effect.succeed(notReady("the database does not answer"))))
    )
    yield* router.add(
      "GET",
      "/metrics",
      measure.pipe(
        Effect.andThen(PrometheusMetrics.format()),
        Effect.map((text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" }))
      )
    )
  }))
