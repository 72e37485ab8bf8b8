import * as Wakeups from "#layers/postgres/Wakeups.ts"
import { Shards } from "#src/delivery/Shards.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

/** The host's clock, which a test sets ahead, and which crashes once. */
const faulty = Effect.map(Clock.Clock, (local) => {
  let ahead = 0
  let crashes = false
  const millis = () => local.currentTimeMillisUnsafe() + ahead
  return {
    step: (ms: number) => {
      ahead += ms
    },
    crash: () => {
      crashes = true
    },
    crashed: () => !crashes,
    clock: {
      ...local,
      sleep: (duration) => local.sleep(duration),
      monotonicTimeNanosUnsafe: () => local.monotonicTimeNanosUnsafe(),
      currentTimeNanosUnsafe: () => local.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n,
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.suspend(() => {
        if (!crashes) return Effect.sync(millis)
        crashes = false
        return Effect.die("no time")
      })
    } satisfies Clock.Clock
  }
})

/** A node that has begun to listen, on a database that knows of no other. */
const start = Effect.gen(function*() {
  const seen = { wakes: 0, alone: false }
  const { clock, ...fault } = yield* faulty
  const shards = Layer.mock(Shards, {
    wake: Effect.sync(() => {
      seen.wakes++
    }),
    alone: (isAlone) =>
      Effect.sync(() => {
        seen.alone = isAlone
      }),
    owned: Effect.succeed([])
  })
  const database = yield* FreshDatabase.url
  const stores = FreshDatabase.node(database)
  yield* SqlClient.SqlClient.use((sql) => sql`create table cluster_runners (last_heartbeat timestamp)`).pipe(
    Effect.provide(stores)
  )
  yield* Layer.build(Wakeups.layer("127.0.0.1:23000").pipe(Layer.provide([stores, shards, NodeCrypto.layer]))).pipe(
    Effect.provideService(Clock.Clock, clock)
  )
  const until = (done: () => boolean) =>
    Effect.sync(done).pipe(
      Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: 150 })) })
    )
  yield* until(() => seen.alone)
  return { fault, seen, until }
})

describe("Wakeups", () => {
  it.live(
    "P7: what is due by a clock that was set ahead is read soon, and nothing by one that goes on",
    () =>
      Effect.gen(function*() {
        const { fault, seen, until } = yield* start
        const before = seen.wakes
        yield* Effect.sleep("3 seconds")
        assert.strictEqual(seen.wakes, before)
        fault.step(60_000)
        assert.isTrue(yield* until(() => seen.wakes > before))
      }),
    30_000
  )

  it.live("P1: the count of the nodes outlives a defect", () =>
    Effect.gen(function*() {
      const { fault, seen, until } = yield* start
      assert.isTrue(seen.alone)
      fault.crash()
      assert.isTrue(yield* until(fault.crashed))
      assert.isTrue(yield* until(() => !seen.alone))
      assert.isTrue(yield* until(() => seen.alone))
    }), 30_000)
})
