import * as NodeId from "#layers/cluster/NodeId.ts"
import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as Wakeups from "#layers/postgres/notices/Wakeups.ts"
import { Scope } from "#schemas/Scope.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Shards, type Taking } from "#src/delivery/Shards.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Queue, Schedule } from "effect"
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

/** A node that owns shard 3 and has begun to listen, on a database that knows of no other. `wokenAlone`: whether it last was; `isBroken`: its next wake-up is a defect. */
const start = Effect.gen(function*() {
  const read: Array<string> = []
  const seen = { read, wakes: 0, alone: false, wokenAlone: false, isBroken: false }
  const watching = new Set<(taking: Taking) => void>()
  const owning = (shards: ReadonlyArray<number>) => {
    for (const tell of watching) tell({ shards, alone: false, backlogged: [] })
  }
  const { clock, ...fault } = yield* faulty
  const changes: Array<Invalidations.Invalidation> = []
  const invalidations = Layer.mock(Invalidations.Invalidations, {
    tell: (invalidation) => Effect.sync(() => void changes.push(invalidation))
  })
  const handover = Layer.mock(Handover, {
    behind: (lanes) => Effect.sync(() => void seen.read.push(...lanes)),
    stir: Effect.sync(() => void seen.read.push("expansions")),
    owns: () => true,
    stepCame: () => {},
    stepLeft: () => {}
  })
  const shards = Layer.mock(Shards, {
    wake: Effect.suspend(() => {
      if (seen.isBroken) {
        seen.isBroken = false
        return Effect.die("a bug")
      }
      seen.wakes++
      seen.wokenAlone = seen.alone
      return Effect.void
    }),
    alone: (isAlone) =>
      Effect.sync(() => {
        seen.alone = isAlone
      }),
    owned: Effect.succeed([3]),
    watch: (tell) => Effect.sync(() => void watching.add(tell))
  })
  const database = yield* FreshDatabase.url
  const stores = FreshDatabase.node(database)
  const other = yield* Layer.build(FreshDatabase.node(database))
  const sql = Context.get(other, SqlClient.SqlClient)
  yield* sql`create table cluster_runners (last_heartbeat timestamp)`
  yield* Layer.build(
    Wakeups.layer("127.0.0.1:23000").pipe(
      Layer.provide([
        stores,
        shards,
        handover,
        invalidations,
        NodeId.layer(undefined).pipe(Layer.provide(NodeCrypto.layer))
      ])
    )
  ).pipe(
    Effect.provideService(Clock.Clock, clock)
  )
  const until = (done: () => boolean) =>
    Effect.sync(done).pipe(
      Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: 300 })) })
    )
  yield* until(() => seen.alone)
  return { changes, fault, owning, listen: Context.get(other, PgClient.PgClient).listen, seen, sql, until }
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

  it.live("it wakes for messages of its own shards, and for no others", () =>
    Effect.gen(function*() {
      const { seen, sql, until } = yield* start
      const before = seen.wakes
      for (const shards of ["4", "13,30", "2,3"]) yield* sql`select pg_notify('tidings_due', ${shards})`
      assert.isTrue(yield* until(() => seen.wakes > before))
      assert.strictEqual(seen.wakes, before + 1)
    }), 30_000)

  it.live(
    "P1: it reads what a notice of its shards names, and everything where that is not known here",
    () =>
      Effect.gen(function*() {
        const { seen, sql, until } = yield* start
        const before = seen.wakes
        for (const notice of ["4,bulk", "3,transactional", "3,4,expansions,bulk", "3,bulk,later"]) {
          yield* sql`select pg_notify('tidings_due', ${notice})`
        }
        assert.isTrue(yield* until(() => seen.wakes > before))
        assert.strictEqual(seen.wakes, before + 1)
        assert.deepStrictEqual(seen.read, ["transactional", "bulk", "expansions"])
      }),
    30_000
  )

  it.live(
    "what another node has changed is told to who caches it, before what is accepted after it wakes anybody",
    () =>
      Effect.gen(function*() {
        const { changes, seen, sql, until } = yield* start
        const before = seen.wakes
        const change = { kind: "tenant templates", scope: Scope.make(4) }
        yield* sql`select pg_notify('tidings_due', ${Invalidations.noticeOf(change)})`
        yield* sql`select pg_notify('tidings_due', '3')`
        assert.isTrue(yield* until(() => seen.wakes > before))
        assert.deepStrictEqual(changes, [change])
        assert.strictEqual(seen.wakes, before + 1)
      }),
    30_000
  )

  it.live(
    "A5: the next owner of a shard that it gives up is told, since what came to it meanwhile was told to nobody",
    () =>
      Effect.gen(function*() {
        const { listen, owning } = yield* start
        const heard = yield* listen("tidings_due")
        const told = Effect.map(Queue.take(heard), ({ payload }) => payload)
        owning([3, 4, 5])
        owning([4])
        assert.strictEqual(
          yield* Effect.repeat(told, { until: (payload) => !payload.includes(" ") }),
          "3,5,transactional,bulk,expansions"
        )
      }),
    30_000
  )

  it.live(
    "P1: after a lost connection it listens again and reads what came meanwhile, and did not count as alone",
    () =>
      Effect.gen(function*() {
        const { seen, sql, until } = yield* start
        for (let loss = 0; loss < 2; loss++) {
          assert.isTrue(yield* until(() => seen.alone))
          const before = seen.wakes
          yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`
          assert.isTrue(yield* until(() => seen.wakes > before))
          assert.isFalse(seen.wokenAlone)
        }
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

  it.live("P3: it is not alone while a second node was heard of within the last minute", () =>
    Effect.gen(function*() {
      const { seen, sql, until } = yield* start
      const heardOf = (seconds: number) =>
        sql`insert into cluster_runners values (now()::timestamp - make_interval(secs => ${seconds}::float8))`
      yield* heardOf(0)
      yield* heardOf(0)
      assert.isTrue(yield* until(() => !seen.alone))
      yield* sql`delete from cluster_runners`
      yield* heardOf(0)
      yield* heardOf(61)
      assert.isTrue(yield* until(() => seen.alone))
    }), 60_000)

  it.live(
    "P3: for ten seconds after another node has announced itself it is not alone, and for no longer, wherever the clock is set",
    () =>
      Effect.gen(function*() {
        const { fault, seen, sql, until } = yield* start
        yield* sql`select pg_notify('tidings_due', 'join another 127.0.0.1:23001')`
        assert.isTrue(yield* until(() => !seen.alone))
        fault.step(60_000)
        yield* Effect.sleep("4 seconds")
        assert.isFalse(seen.alone)
        fault.step(-3_600_000)
        assert.isTrue(yield* until(() => seen.alone))
      }),
    60_000
  )

  it.live("P1: listening outlives a defect, and it did not count as alone meanwhile", () =>
    Effect.gen(function*() {
      const { seen, sql, until } = yield* start
      const before = seen.wakes
      seen.isBroken = true
      yield* sql`select pg_notify('tidings_due', '3')`
      assert.isTrue(yield* until(() => seen.wakes > before))
      assert.isFalse(seen.wokenAlone)
    }), 60_000)
})
