import { ShardCount } from "#src/delivery/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Clock, Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

const depth = Metric.gauge("tidings_due_messages", { description: "Messages that are due and not done, counted up to 10,000" })
const oldest = Metric.gauge("tidings_oldest_due_age_milliseconds", { description: "Age of the oldest due message" })
const held = Metric.gauge("tidings_held_messages", { description: "Messages in this node's hands" })
const owned = Metric.gauge("tidings_owned_shards", { description: "Shards owned by this node" })

/** What the database has not said within this time, it does not say. */
const patience = "2 seconds"

const notReady = (message: string) => HttpServerResponse.jsonUnsafe({ message, type: "api_error" }, { status: 503 })

/** The operator's routes (design.md §6); they need no key. `alone`: this node is the only one, so every shard must be its own. */
export const layer = (options: { readonly alone: boolean }) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const shards = yield* Shards
    const backlogs = yield* Backlogs
    const count = yield* ShardCount

    yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "up" }))
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.gen(function*() {
        yield* backlogs.ping.pipe(Effect.timeout(patience))
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
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const backlog = yield* backlogs.measure(now)
        yield* Metric.update(depth, backlog.depth)
        yield* Metric.update(oldest, backlog.oldestDueMs === undefined ? 0 : now - backlog.oldestDueMs)
        yield* Metric.update(held, yield* shards.held)
        yield* Metric.update(owned, (yield* shards.owned).length)
      }).pipe(
        Effect.timeout(patience),
        Effect.ignore,
        Effect.andThen(PrometheusMetrics.format()),
        Effect.map((text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" }))
      )
    )
  }))
