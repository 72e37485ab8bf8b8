import * as Operations from "#layers/http/routes/Operations.ts"
import { type Report } from "#layers/cluster/Protocol.ts"
import { Workers } from "#layers/cluster/Workers.ts"
import { Placement } from "#src/delivery/shards/Placement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Metric } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"

const isWell = {
  isWritable: Effect.succeed(true),
  hasRoom: Effect.succeed(true),
  isLocked: Effect.succeed(false),
  measure: () =>
    Effect.succeed({
      depth: 7,
      waiting: { delay: 1, retry: 2, escalation: 3 },
      requests: 4,
      counted: 10_000,
      oldestDueMs: undefined
    })
}

const ready: Report = { unready: null, metrics: "tidings_held_messages 5\n" }

/** What one of two nodes answers to a GET, whose workers tell this after a while, and how long that takes in ms. */
const answers = (node: {
  readonly backlogs?: Partial<Backlogs["Service"]>
  readonly workers?: ReadonlyArray<Report>
  /** Shards that these own. */
  readonly owned?: number
  readonly after?: number
}) =>
  Effect.gen(function*() {
    const routes = yield* HttpRouter.toHttpEffect(Operations.layer({ alone: false, engine: false })).pipe(
      Effect.provide([
        Layer.mock(Backlogs, { ...isWell, ...node.backlogs }),
        RateGates.layer,
        Layer.mock(Shards, { held: Effect.succeed(3), owned: Effect.succeed([1]), reading: Effect.succeed(true) }),
        Layer.mock(Placement, { assigned: Effect.succeed([1]) }),
        Layer.mock(Clusters, {}),
        Layer.succeed(ShardCount, 2),
        Layer.succeed(
          Workers,
          Workers.of({
            reports: Effect.delay(Effect.succeed(node.workers ?? []), node.after ?? 0),
            owned: Effect.succeed(node.owned ?? 0),
            stop: Effect.void
          })
        )
      ])
    )
    return Effect.fnUntraced(function*(path: string) {
      const began = yield* Clock.currentTimeMillis
      const request = HttpServerRequest.fromWeb(new Request(`http://localhost${path}`))
      const asking = yield* routes.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.forkChild
      )
      while (asking.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
      const response = HttpServerResponse.toWeb(yield* Fiber.join(asking))
      const text = yield* Effect.promise(() => response.text())
      return { status: response.status, text, took: (yield* Clock.currentTimeMillis) - began }
    })
  })

describe("The operator's routes", () => {
  it.effect("a node is ready when it and its workers are, and says which of them is not, and why", () =>
    Effect.gen(function*() {
      const told = Effect.fnUntraced(function*(node: Parameters<typeof answers>[0]) {
        const { status, text } = yield* (yield* answers(node))("/health/ready")
        return [status, JSON.parse(text)]
      })
      assert.deepStrictEqual(yield* told({}), [200, { status: "ready", shards: 1 }])
      assert.deepStrictEqual(yield* told({ workers: [ready, ready], owned: 64 }), [200, {
        status: "ready",
        shards: 65,
        workers: 2
      }])
      const later: Report = { unready: "2 of the 3 shards placed here run so far", metrics: "" }
      assert.deepStrictEqual(yield* told({ workers: [ready, later] }), [503, {
        message: "A worker is not ready: 2 of the 3 shards placed here run so far",
        type: "api_error"
      }])
      assert.deepStrictEqual(yield* told({ backlogs: { isWritable: Effect.succeed(false) }, workers: [later] }), [503, {
        message: "the database is read-only",
        type: "api_error"
      }])
    }))

  it.effect("of a database that is silent they say so after 2 s, and the metrics are those of all, as soon as the workers'", () =>
    Effect.gen(function*() {
      const get = yield* answers({
        backlogs: { isWritable: Effect.never, measure: () => Effect.never },
        workers: [ready],
        after: 2_000
      })
      const health = yield* get("/health/ready")
      assert.deepStrictEqual([health.status, JSON.parse(health.text).message, health.took], [
        503,
        "the database does not answer",
        2_000
      ])
      const metrics = yield* get("/metrics")
      assert.deepStrictEqual([metrics.status, metrics.took], [200, 2_000])
      assert.match(metrics.text, /\ntidings_build_info\{version="[\d.]+",(?:commit="\w+",)?runtime="\w+ [\d.]+"\} 1\n/)
      for (const sample of ["database_up 0", "held_messages{worker=\"1\"} 5"])
        assert.include(metrics.text, `\ntidings_${sample}\n`)
      assert.notInclude(metrics.text, "\ntidings_held_messages ", "what its workers have in hand is not its own")
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
})
