import * as Retention from "#layers/postgres/Retention.ts"
import * as BulkJobs from "#layers/postgres/retention/BulkJobs.ts"
import * as Partitions from "#layers/postgres/Partitions.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Latch, Layer, Logger, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const today = Date.UTC(2026, 10, 21, 12)
const day = 86_400_000

const Ids = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

const idAt = (ms: number, tail: string): string =>
  `1-${Math.floor(ms / 1_000).toString(16).padStart(8, "0")}-${tail.repeat(24)}`

/** A message with an attempt and a line of history; `dueAt` null is closed. */
const stored = Effect.fnUntraced(function*(id: string, dueAt: number | null) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into messages ${
    sql.insert({
      scope: 1,
      id,
      request_id: id,
      shard: 0,
      lane: "bulk",
      recipient_key: "k",
      key_state: "published",
      status: "SENT",
      due_at: dueAt,
      event: "",
      template: "",
      recipient_name: "k",
      enqueued_at: 0,
      recipient: "{}",
      instructions: "{}"
    })
  }`
  yield* sql`insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at)
    values (1, ${id}, 1, 1, 'email', 'p', 'accepted', 0)`
  yield* sql`insert into history (scope, message_id, at, step, events) values (1, ${id}, 0, 'accept', '[]')`
  yield* sql`insert into outputs (scope, message_id, number, rendered) values (1, ${id}, 1, '{}')`
  yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered) values (1, 'u', ${id}, 0, '{}')`
  yield* sql`insert into list_requests (scope, list_id, request_id) values (1, 'all', ${id})`
})

/** A request to many; `dueAt` null has ended. */
const requested = Effect.fnUntraced(function*(id: string, dueAt: number | null) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into expansions ${
    sql.insert({
      scope: 1,
      id,
      shard: 0,
      key_state: "published",
      recipients: "[]",
      instructions: "{}",
      place: "{\"index\":0}",
      state: dueAt === null ? "COMPLETED" : "RUNNING",
      due_at: dueAt,
      accepted_at: 0,
      advanced_at: 0,
      ended_at: dueAt === null ? 0 : null
    })
  }`
})

const test = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(today), Effect.scoped(Effect.provide(effect, FreshDatabase.layer)))

describe("Retention", () => {
  it.effect("drops whole days that ended before, never one with an open message, and nothing younger", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const back of [0, 9, 18, 27]) {
        yield* TestClock.setTime(today - back * day)
        yield* Partitions.ensure(sql)
      }
      yield* TestClock.setTime(today)
      const at = (days: number) => today - days * day
      yield* stored(idAt(at(27), "a"), null)
      yield* stored(idAt(at(26), "b"), null)
      yield* stored(idAt(at(26), "c"), at(-3))
      yield* stored(idAt(at(20), "d"), 0)
      yield* stored(idAt(at(8), "e"), null)
      yield* stored(idAt(at(6), "f"), null)
      const gone = yield* Retention.drop(sql, 7)
      assert.includeMembers([...gone], ["20261025", "20261113"])
      assert.notInclude(gone, "20261026")
      assert.notInclude(gone, "20261101")
      for (
        const [table, column] of [
          ["messages", "id"],
          ["attempts", "message_id"],
          ["history", "message_id"],
          ["outputs", "message_id"],
          ["inbox", "message_id"],
          ["list_requests", "request_id"]
        ] as const
      ) {
        const left = yield* Ids(yield* sql`select ${sql(column)} as id from ${sql(table)} order by 1`)
        assert.deepStrictEqual(left.map(({ id }) => id.at(-1)), ["b", "c", "d", "f"], table)
      }
      assert.deepStrictEqual(yield* Retention.drop(sql, 7), [])
      // Closed, its day goes the next time.
      yield* sql`update messages set due_at = null where id = ${idAt(at(20), "d")}`
      assert.deepStrictEqual(yield* Retention.drop(sql, 7), ["20261101"])
    })))

  it.effect("a mail's frame outlives every output that may have it, and is dropped after them", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const at = (days: number) => today - days * day
      for (const back of [0, 20]) {
        yield* TestClock.setTime(at(back))
        yield* Partitions.ensure(sql)
      }
      yield* TestClock.setTime(today)
      // Of the 21st day before today, some are kept by an open message.
      yield* stored(idAt(at(20), "a"), 0)
      for (const days of [23, 20, 9, 7]) {
        yield* sql`insert into frames (scope, name, pieces, used_at) values (1, ${`used ${days} days ago`}, '[]', ${
          at(days)
        })`
      }
      const left = Effect.map(
        Effect.flatMap(sql`select name as id from frames order by used_at`, Ids),
        (rows) => rows.map(({ id }) => id)
      )
      yield* Retention.drop(sql, 7)
      assert.deepStrictEqual(yield* left, ["used 20 days ago", "used 9 days ago", "used 7 days ago"])
      yield* sql`update messages set due_at = null`
      yield* sql`insert into outputs_default (scope, message_id, number, rendered)
        values (1, ${idAt(at(30), "b")}, 1, '{}')`
      yield* Retention.drop(sql, 7)
      assert.strictEqual((yield* left).length, 3)
      yield* sql`delete from outputs_default`
      yield* Retention.drop(sql, 7)
      assert.deepStrictEqual(yield* left, ["used 7 days ago"])
    })))

  it.effect("P10: a frame of one environment stays, though another's of the same name is dropped", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      yield* sql`insert into frames (scope, name, pieces, used_at) values (1, 'f', '[]', 0), (2, 'f', '[]', ${today})`
      yield* Retention.drop(sql, 7)
      assert.deepStrictEqual(yield* sql`select scope from frames`, [{ scope: 2 }])
    })))

  it.effect("a frame that is being written is not waited for, and stays: with who writes several, a wait could be a deadlock", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      yield* sql`insert into frames (scope, name, pieces, used_at) values (1, 'written', '[]', 0), (1, 'unused', '[]', 0)`
      const locked = yield* Latch.make()
      const end = yield* Latch.make()
      const writer = yield* sql`select from frames where name = 'written' for update`.pipe(
        Effect.andThen(locked.open),
        Effect.andThen(end.await),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* locked.await
      yield* Retention.drop(sql, 7)
      assert.deepStrictEqual(yield* Effect.flatMap(sql`select name as id from frames`, Ids), [{ id: "written" }])
      yield* end.open
      yield* Fiber.join(writer)
    })))

  it.effect("drops what ended before of days that no partition was made for, whole messages at a time", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      const at = (days: number) => today - days * day
      yield* stored(idAt(at(30), "a"), null)
      yield* requested(idAt(at(30), "a"), null)
      yield* stored(idAt(at(29), "b"), at(-1))
      yield* requested(idAt(at(29), "b"), null)
      yield* stored(idAt(at(28), "c"), null)
      yield* requested(idAt(at(28), "c"), 0)
      yield* stored(idAt(at(6), "d"), null)
      // One that still becomes messages, and has none yet.
      yield* requested(idAt(at(28), "e"), 0)
      assert.deepStrictEqual(yield* Retention.drop(sql, 7), [])
      for (
        const [table, column, left] of [
          ["messages", "id", ["b", "c", "d"]],
          ["attempts", "message_id", ["b", "c", "d"]],
          ["history", "message_id", ["b", "c", "d"]],
          ["outputs", "message_id", ["b", "c", "d"]],
          ["inbox", "message_id", ["b", "c", "d"]],
          ["list_requests", "request_id", ["b", "c", "d"]],
          ["expansions", "id", ["b", "c", "e"]]
        ] as const
      ) {
        const found = yield* Ids(yield* sql`select ${sql(column)} as id from ${sql(table)} order by 1`)
        assert.deepStrictEqual(found.map(({ id }) => id.at(-1)), [...left], table)
      }
    })))

  it.effect("drops bulk jobs with their users once they are old and never ran, or their request is gone", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(today - 9 * day)
      yield* Partitions.ensure(sql)
      yield* TestClock.setTime(today)
      const [gone, open] = [idAt(today - 9 * day, "a"), idAt(today - 8 * day, "b")]
      yield* requested(gone, null)
      yield* requested(open, 0)
      const made = Effect.fnUntraced(function*(id: string, days: number, request: string | null) {
        yield* sql`insert into bulk_jobs (scope, id, definition, request_id, created_at)
          values (1, ${id}, '{}', ${request}, ${today - days * day})`
        yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user) values (1, ${id}, 0, 'k', '{}')`
      })
      yield* made("never ran", 9, null)
      yield* made("young", 1, null)
      yield* made("ran", 9, gone)
      yield* made("runs", 9, open)
      // Closed a moment ago: its request is about to be accepted.
      yield* made("is run", 9, idAt(today, "c"))
      yield* Retention.drop(sql, 7)
      const left = yield* Effect.flatMap(sql`select distinct job_id as id from bulk_users order by 1`, Ids)
      assert.deepStrictEqual(left.map(({ id }) => id), ["is run", "runs", "young"])
      assert.deepStrictEqual(yield* Effect.flatMap(sql`select id from bulk_jobs order by 1`, Ids), left)
    })))

  it.effect("I1: a bulk job that ran goes in the commit in which its request goes, or it could be run again", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(today - 9 * day)
      yield* Partitions.ensure(sql)
      yield* TestClock.setTime(today)
      const ran = Effect.fnUntraced(function*(request: string) {
        yield* requested(request, null)
        yield* sql`insert into bulk_jobs (scope, id, definition, request_id, created_at)
          values (1, ${request}, '{}', ${request}, ${today - 31 * day})`
      })
      const cut = Effect.exit(Retention.drop(sql, 7)).pipe(Effect.map((exit) => assert.isTrue(Exit.isFailure(exit))))
      const left = sql`select id from expansions union all select id from bulk_jobs`
      // A day that cannot be dropped, and then items of inboxes: a run is cut between the requests and what comes after them.
      yield* ran(idAt(today - 9 * day, "a"))
      yield* sql`create view kept as select * from messages_20261112`
      yield* cut
      assert.lengthOf(yield* left, 0)
      yield* sql`drop view kept`
      yield* ran(idAt(today - 30 * day, "b"))
      yield* stored(idAt(today - 30 * day, "b"), null)
      yield* sql.unsafe(`create function fail() returns trigger language plpgsql as $$ begin raise 'cut'; end $$`)
        .unprepared
      yield* sql`create trigger fail before delete on inbox for each row execute function fail()`
      yield* cut
      assert.lengthOf(yield* left, 0)
    })))

  it.effect("P1: a bulk job that is closed while retention looks at it stays with its users: it is about to be accepted", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const cut = idAt(today - 9 * day, "a")
      for (const [id, before] of [["old", null], ["cut", cut]] as const) {
        yield* sql`insert into bulk_jobs (scope, id, definition, request_id, created_at) values (1, ${id}, '{}', ${before}, 0)`
        yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user) values (1, ${id}, 0, 'k', '{}')`
      }
      const closed = yield* Latch.make()
      const end = yield* Latch.make()
      const closing = yield* sql`update bulk_jobs set request_id = ${idAt(today, "b")}`.pipe(
        Effect.andThen(closed.open),
        Effect.andThen(end.await),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* closed.await
      const dropping = yield* Effect.forkChild(BulkJobs.drop(sql, DateTime.makeUnsafe(today - 3 * day)))
      yield* sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.pipe(
        Effect.repeat({ while: (waiting) => waiting.length === 0 })
      )
      yield* end.open
      yield* Fiber.join(closing)
      yield* Fiber.join(dropping)
      assert.lengthOf(yield* sql`select 1 from bulk_jobs`, 2)
      assert.lengthOf(yield* sql`select 1 from bulk_users`, 2)
    })))

  it.effect("takes a large job's users away in pieces, and those that a run which was cut has left", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      yield* sql`create table pieces (size int)`
      yield* sql.unsafe(`create function piece() returns trigger language plpgsql as $$ begin
        insert into pieces select count(*) from gone having count(*) > 0; return null; end $$`).unprepared
      yield* sql`create trigger pieces after delete on bulk_users referencing old table as gone
        for each statement execute function piece()`
      yield* sql`insert into bulk_jobs (scope, id, definition, created_at)
        values (1, 'large', '{}', ${today - 9 * day}), (2, 'large', '{}', ${today})`
      yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user)
        select scope, id, n, n::text, '{}' from bulk_jobs, generate_series(0, 12000) n`
      yield* Retention.drop(sql, 7)
      const left = yield* sql`select scope, count(*)::int as users from bulk_users group by 1`
      assert.deepStrictEqual(left, [{ scope: 2, users: 12_001 }])
      const sizes = yield* sql`select size from pieces order by size`
      assert.deepStrictEqual(sizes.map(({ size }) => size), [2_001, 5_000, 5_000])
      yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user) values (1, 'left', 7, 'k', '{}')`
      yield* Retention.drop(sql, 7)
      assert.lengthOf(yield* sql`select 1 from bulk_users where job_id = 'left'`, 0)
    })))

  it.effect("drops the requests to many of a day with it, and no day of which one still becomes messages", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const at = (days: number) => today - days * day
      for (const back of [0, 9, 18]) {
        yield* TestClock.setTime(at(back))
        yield* Partitions.ensure(sql)
      }
      yield* TestClock.setTime(today)
      yield* requested(idAt(at(18), "a"), null)
      yield* stored(idAt(at(16), "b"), null)
      yield* requested(idAt(at(16), "b"), 0)
      yield* stored(idAt(at(15), "c"), null)
      yield* requested(idAt(at(15), "c"), at(-1))
      yield* requested(idAt(at(6), "d"), null)
      const left = Effect.fnUntraced(function*(table: string) {
        return (yield* Ids(yield* sql`select id from ${sql(table)} order by 1`)).map(({ id }) => id.at(-1))
      })
      const gone = yield* Retention.drop(sql, 7)
      assert.includeMembers([...gone], ["20261103"])
      assert.deepStrictEqual(yield* left("messages"), ["b", "c"])
      assert.deepStrictEqual(yield* left("expansions"), ["b", "c", "d"])
      yield* sql`update expansions set due_at = null`
      assert.deepStrictEqual(yield* Retention.drop(sql, 7), ["20261105", "20261106"])
      assert.deepStrictEqual(yield* left("messages"), [])
      assert.deepStrictEqual(yield* left("expansions"), ["d"])
    })))

  it.effect("begins soon after the start, and goes on every hour", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const old = sql`insert into bulk_jobs (scope, id, definition, created_at) values (1, 'old', '{}', 0)`
      const isLeft = Effect.map(sql`select 1 from bulk_jobs`, (jobs) => jobs.length > 0)
      yield* old
      yield* Layer.build(Retention.layer(7))
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(isLeft, { while: (left) => left })
      yield* old
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), isLeft), { while: (left) => left })
    })))

  it.effect("a run that fails is told of, and is not the last", () =>
    test(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const told = yield* Latch.make()
      const heard = Logger.make(({ message }) => {
        if (String(message).startsWith("old messages were not dropped")) Latch.openUnsafe(told)
      })
      yield* sql`insert into bulk_jobs (scope, id, definition, created_at) values (1, 'old', '{}', 0)`
      yield* sql`alter table bulk_jobs rename to away`
      yield* Layer.build(Retention.layer(7).pipe(Layer.provide(Logger.layer([heard]))))
      yield* TestClock.adjust("1 minute")
      yield* told.await
      yield* sql`alter table away rename to bulk_jobs`
      const isLeft = Effect.map(sql`select 1 from bulk_jobs`, (jobs) => jobs.length > 0)
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), isLeft), { while: (left) => left })
    })))
})
