import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Latch, Layer, Logger, Queue, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const partitions = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relkind = 'r' and c.relname not like '%default' order by 1`
  return (yield* decodeNames(rows)).map((row) => row.name)
})

const days = [
  "20261120",
  "20261121",
  "20261122",
  "20261123",
  "20261124",
  "20261125",
  "20261126",
  "20261127",
  "20261128"
]
const named = (dates: ReadonlyArray<string>) =>
  ["attempts", "history", "messages", "outputs"].flatMap((table) => dates.map((day) => `${table}_${day}`))

/** The time is set before the pool is there, whose timers would run through all the years. */
const test = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>) =>
  Effect.andThen(
    TestClock.setTime(Date.UTC(2026, 10, 21, 23, 59, 59)),
    Effect.scoped(Effect.provide(effect, FreshDatabase.layer))
  )

const ensure = Effect.flatMap(SqlClient.SqlClient, Partitions.ensure)

const insertEvent = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into history (scope, message_id, at, step, events) values (1, ${id}, 0, 'accept', '[]')
      returning tableoid::regclass::text as name`.pipe(Effect.flatMap(decodeNames))
  )

describe("Partitions", () => {
  it.effect("yesterday to a week ahead, for the four tables", () =>
    test(Effect.gen(function*() {
      yield* ensure
      assert.deepStrictEqual(yield* partitions, named(days))
    })))

  it.effect("again, and from several nodes at once, nothing changes", () =>
    test(Effect.gen(function*() {
      const heard: Array<unknown> = []
      const listening = Logger.layer([Logger.make(({ message }) => heard.push(message))])
      yield* Effect.all([ensure, ensure, ensure], { concurrency: "unbounded" }).pipe(Effect.provide(listening))
      yield* ensure
      assert.deepStrictEqual(heard, [])
      assert.deepStrictEqual(yield* partitions, named(days))
    })))

  it.effect("a row lies in the partition of its id's day, from its first second to its last", () =>
    test(Effect.gen(function*() {
      yield* ensure
      const day = Date.UTC(2026, 10, 21) / 1_000
      const at = (seconds: number, tail: string) => `1-${seconds.toString(16).padStart(8, "0")}-${tail.repeat(24)}`
      assert.strictEqual((yield* insertEvent(at(day, "0")))[0]?.name, "history_20261121")
      assert.strictEqual((yield* insertEvent(at(day + 86_399, "f")))[0]?.name, "history_20261121")
      assert.strictEqual((yield* insertEvent(at(day - 1, "f")))[0]?.name, "history_20261120")
      assert.strictEqual((yield* insertEvent(at(day + 86_400, "0")))[0]?.name, "history_20261122")
      assert.strictEqual((yield* insertEvent(at(day + 30 * 86_400, "0")))[0]?.name, "history_default")
    })))

  it.effect("an intent rewrites a message where it is, on a page that a batch filled: no index gets an entry", () =>
    test(Effect.gen(function*() {
      yield* ensure
      const sql = yield* SqlClient.SqlClient
      const kept = sql.withTransaction(Effect.gen(function*() {
        yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template,
            recipient_name, enqueued_at, recipient, instructions)
          select 1, id, id, 1, 'bulk', '1:user:' || n, 'published', 'ENQUEUED', 0, '', '', n::text, 0, '{}', repeat('x', length) from (
            select n, case when n <= 100 then 20 else 1000 end as length,
              ${`1-${
          (Date.UTC(2026, 10, 21) / 1_000).toString(16)
        }-`} || lpad(n::text, 24, '0') as id from generate_series(1, 200) n) x`
        yield* sql`update messages set status = 'ROUTED', providers = providers || 'smtp'::text`
        return yield* sql`select n_tup_hot_upd::int as count from pg_stat_xact_user_tables where relname = 'messages_20261121'`
      }))
      assert.deepStrictEqual(yield* kept, [{ count: 200 }])
    })))

  it.effect("P1: a day that the default partition already serves is left to it, and the others are made", () =>
    test(Effect.gen(function*() {
      yield* insertEvent(`1-${(Date.UTC(2026, 10, 22) / 1_000).toString(16)}-${"a".repeat(24)}`)
      yield* ensure
      assert.deepStrictEqual(yield* partitions, named(days.filter((day) => day !== "20261122")))
    })))

  it.effect("at midnight the next day is made", () =>
    test(Effect.gen(function*() {
      yield* Layer.build(Partitions.layer)
      const before = yield* partitions
      yield* TestClock.adjust("1 second")
      // The midnight run talks to the database meanwhile.
      const names = yield* Effect.repeat(partitions, { until: (names) => names.length > before.length })
      assert.deepStrictEqual(names, named([...days, "20261129"]))
    })))

  it.effect(
    "P1: a day that a backup keeps from being made at midnight is tried every ten minutes, until it is there",
    () =>
      test(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const failed = yield* Queue.unbounded<void>()
        const listening = Logger.layer([Logger.make(() => Queue.offerUnsafe(failed, undefined))])
        yield* Layer.build(Partitions.layer).pipe(Effect.provide(listening))
        const before = yield* partitions
        const locked = yield* Latch.make()
        const end = yield* Latch.make()
        const backup = yield* sql`lock table messages_default in access share mode`.pipe(
          Effect.andThen(locked.open),
          Effect.andThen(end.await),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* locked.await
        yield* TestClock.adjust("1 second")
        yield* Queue.take(failed)
        yield* TestClock.adjust("10 minutes")
        yield* Queue.take(failed)
        assert.deepStrictEqual(yield* partitions, before)
        yield* end.open
        yield* Fiber.join(backup)
        yield* TestClock.adjust("10 minutes")
        const names = yield* Effect.repeat(partitions, { until: (names) => names.length > before.length })
        assert.deepStrictEqual(names, named([...days, "20261129"]))
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* Queue.size(failed), 0)
      })),
    20_000
  )

  it.effect(
    "a day that the default partition serves is tried again the next day, not before",
    () =>
      test(Effect.gen(function*() {
        const tried = yield* Queue.unbounded<void>()
        const listening = Logger.layer([Logger.make(() => Queue.offerUnsafe(tried, undefined))])
        yield* insertEvent(`1-${(Date.UTC(2026, 10, 25) / 1_000).toString(16)}-${"a".repeat(24)}`)
        yield* Layer.build(Partitions.layer).pipe(Effect.provide(listening))
        yield* Queue.take(tried)
        yield* TestClock.adjust("1 second")
        yield* Queue.take(tried)
        yield* Effect.repeat(partitions, { until: (names) => names.includes("outputs_20261129") })
        yield* TestClock.adjust("23 hours")
        yield* partitions
        assert.strictEqual(yield* Queue.size(tried), 0)
        // On a busy machine, that the last day is there is seen before the node that made it hears so and waits for
        // midnight, which may be that of a day later then.
        const anHour = Effect.andThen(TestClock.adjust("1 hour"), partitions)
        yield* Effect.repeat(Effect.andThen(anHour, Queue.size(tried)), { until: (tries) => tries > 0 })
      })),
    60_000
  )

  it.effect("P7: after the clock was set ahead by a month, the days are made within ten minutes, and not only at midnight", () =>
    test(Effect.gen(function*() {
      const local = yield* Clock.Clock
      let ahead = 0
      const millis = () => local.currentTimeMillisUnsafe() + ahead
      const stepped: Clock.Clock = {
        ...local,
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n)
      }
      yield* TestClock.adjust("2 seconds")
      yield* Layer.build(Partitions.layer).pipe(Effect.provideService(Clock.Clock, stepped))
      ahead = 30 * 86_400_000
      yield* TestClock.adjust("10 minutes")
      const isMade = Effect.map(partitions, (names) => names.includes("outputs_20261222"))
      assert.isTrue(yield* Effect.repeat(isMade, { until: (is) => is, times: 300 }))
    })))

  it.effect("a database without the tables is a warning, never a failure", () =>
    Effect.provide(ensure, FreshDatabase.layerEmpty))
})
