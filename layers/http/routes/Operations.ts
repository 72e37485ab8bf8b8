import * as Gauges from "#layers/telemetry/Gauges.ts"
import { Workers } from "#layers/cluster/Workers.ts"
import { merged } from "#layers/telemetry/Merged.ts"
import { unready } from "#src/delivery/shards/Ready.ts"
import { Shards } from "#src/delivery/Shards.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

const notReady = (message: string) => HttpServerResponse.jsonUnsafe({ message, type: "api_error" }, { status: 503 })

/**
 * The operator's routes (design.md §6), which need no key. `alone`: this is the only node, so it must own every shard
 * to be ready. `engine`: it runs here, and not in workers.
 */
export const layer = (options: { readonly alone: boolean; readonly engine: boolean }) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const shards = yield* Shards
    const workers = yield* Workers
    const measure = yield* Gauges.make({ engine: options.engine, store: true })
    const why = yield* unready(options)
    const patiently = yield* Patience.within(Patience.callers)

    yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "up" }))
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.gen(function*() {
        const reason = yield* patiently(why)
        if (reason !== undefined) return notReady(reason)
        const reports = yield* workers.reports
        const waiting = reports.find((report) => report.unready !== null)
        return waiting === undefined
          ? HttpServerResponse.jsonUnsafe({
            status: "ready",
            shards: (yield* shards.owned).length + (yield* workers.owned),
            ...(reports.length === 0 ? {} : { workers: reports.length })
          })
          : notReady(`A worker is not ready: ${waiting.unready}`)
      }).pipe(Effect.catch(() => Effect.succeed(notReady("the database does not answer"))))
    )
    yield* router.add(
      "GET",
      "/metrics",
      Effect.gen(function*() {
        const [reports] = yield* Effect.all([workers.reports, measure], { concurrency: "unbounded" })
        const own = yield* PrometheusMetrics.format()
        const theirs = reports.map(({ metrics }) => metrics)
        const text = theirs.length === 0 ? own : merged(own, theirs)
        return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
      })
    )
  }))
