import * as Worker from "#layers/cluster/Worker.ts"
import { Placement } from "#src/delivery/shards/Placement.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

/** What a worker says that owns one of two shards, and how long that takes in ms. */
const told = Effect.fnUntraced(function*(backlogs: Partial<Backlogs["Service"]>) {
  const report = yield* Worker.make.pipe(Effect.provide([
    Layer.mock(Backlogs, {
      isWritable: Effect.succeed(true),
      hasRoom: Effect.succeed(true),
      isLocked: Effect.succeed(false),
      ...backlogs
    }),
    RateGates.layer,
    Layer.mock(Shards, { held: Effect.succeed(3), owned: Effect.succeed([1]), reading: Effect.succeed(true) }),
    Layer.mock(Placement, { assigned: Effect.succeed([1]) }),
    Layer.mock(Clusters, {}),
    Layer.succeed(ShardCount, 2)
  ]))
  const before = yield* Clock.currentTimeMillis
  const asking = yield* Effect.forkChild(report)
  while (asking.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
  return { ...yield* Fiber.join(asking), took: (yield* Clock.currentTimeMillis) - before }
})

describe("A worker", () => {
  it.effect("says that it is ready, with what it measured of its engine; the store is its server's to measure", () =>
    Effect.gen(function*() {
      const { metrics, unready } = yield* told({})
      assert.isNull(unready)
      for (const sample of ["tidings_owned_shards 1", "tidings_held_messages 3"])
        assert.include(metrics, `\n${sample}\n`)
    }))

  it.effect("says why it is not", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* told({ isWritable: Effect.succeed(false) })).unready, "the database is read-only")
    }))

  it.effect("with a database that is silent it says so, and what it has counted, while the server still listens: 3 s", () =>
    Effect.gen(function*() {
      const { metrics, took, unready } = yield* told({ isWritable: Effect.never })
      assert.strictEqual(unready, "the database does not answer")
      assert.include(metrics, "\ntidings_owned_shards 1\n")
      assert.isAtMost(took, 2_000)
    }))
})
