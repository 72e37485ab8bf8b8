import type { Cluster } from "#schemas/api/Cluster.ts"
import { Placement } from "#src/delivery/shards/Placement.ts"
import { unready } from "#src/delivery/shards/Ready.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Shards } from "#src/delivery/Shards.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Backlogs } from "#src/reports/Backlog.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const all = [0, 1, 2, 3]

const cluster = (unowned: ReadonlyArray<number>): Cluster => ({
  shards: all.length,
  unowned,
  nodes: [],
  due: 0,
  lag: 0,
  oldest_due: null
})

/** A node that does its work; tests name what is different of it. */
const healthy = {
  isWritable: Effect.succeed(true),
  hasRoom: Effect.succeed(true),
  isLocked: Effect.succeed(false),
  running: all,
  assigned: all,
  reading: true,
  alone: true,
  look: (): ReturnType<Clusters["Service"]["look"]> => Effect.succeed(cluster([]))
}

const reason = Effect.fnUntraced(function*(different: Partial<typeof healthy>) {
  const { alone, assigned, hasRoom, isLocked, isWritable, look, reading, running } = { ...healthy, ...different }
  const why = yield* unready({ alone }).pipe(Effect.provide([
    Layer.mock(Backlogs, { isWritable, hasRoom, isLocked }),
    Layer.mock(Shards, { owned: Effect.succeed(running), reading: Effect.succeed(reading) }),
    Layer.mock(Placement, { assigned: Effect.succeed(assigned) }),
    Layer.mock(Clusters, { look }),
    Layer.succeed(ShardCount, all.length)
  ]))
  const asking = yield* Effect.forkChild(why)
  yield* TestClock.adjust("1 second")
  assert.isDefined(asking.pollUnsafe(), "nobody waits longer than a second for the cluster's tables")
  return yield* Fiber.join(asking)
})

describe("A node is ready", () => {
  it.effect("only while its database takes what it writes", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* reason({}))
      assert.match((yield* reason({ isWritable: Effect.succeed(false) })) ?? "", /read-only/)
      assert.match((yield* reason({ hasRoom: Effect.succeed(false) })) ?? "", /disk is full/)
      assert.match((yield* reason({ isLocked: Effect.succeed(true) })) ?? "", /locked/)
    }))

  it.effect("only while what is due is read", () =>
    Effect.gen(function*() {
      assert.match((yield* reason({ reading: false })) ?? "", /cannot be read/)
      assert.match((yield* reason({ reading: false, alone: false })) ?? "", /cannot be read/)
    }))

  it.effect("P2: once each shard that it was given has its epoch", () =>
    Effect.gen(function*() {
      const begun = { assigned: [0, 1, 2], running: [0, 2] }
      for (const alone of [true, false]) {
        assert.strictEqual(yield* reason({ ...begun, alone }), "2 of the 3 shards placed here run so far")
      }
      assert.isUndefined(yield* reason({ alone: false, assigned: [0], running: [0, 1] }), "one that it hands over")
    }))

  it.effect("the only node once it owns them all; one of several with any, or with none if others own them all", () =>
    Effect.gen(function*() {
      const some = { assigned: [0], running: [0] }
      const none = { assigned: [], running: [] }
      assert.strictEqual(yield* reason(some), "1 of 4 shards run here so far")
      assert.isUndefined(yield* reason({ ...some, alone: false, look: () => Effect.succeed(cluster([1, 2])) }))
      assert.isUndefined(yield* reason({ ...none, alone: false }))
      for (
        const look of [
          () => Effect.succeed(cluster([3])),
          () => Effect.fail(new StoreUnavailable({ cause: "away" })),
          () => Effect.never
        ]
      ) assert.strictEqual(yield* reason({ ...none, alone: false, look }), "0 of 4 shards run here so far")
    }))
})
