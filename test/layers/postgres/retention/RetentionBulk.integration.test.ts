import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Retention from "#layers/postgres/retention/Retention.ts"
import * as BulkJobs from "#layers/postgres/retention/BulkJobs.ts"
import { day, idAt, Ids, onToday, requested, stored, today } from "#test/layers/postgres/retention/Retained.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

describe("Retention of bulk jobs", () => {
  it.effect("drops bulk jobs with their users once they are old and never ran, or their request is gone", () =>
    onToday(Effect.gen(function*() {
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
    onToday(Effect.gen(function*() {
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
    onToday(Effect.gen(function*() {
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
    onToday(Effect.gen(function*() {
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

  it.effect("P10: users that an interrupted run left are dropped in every environment, whatever their jobs' names", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user)
        values (1, 'z', 0, 'k', '{}'), (2, 'a', 0, 'k', '{}'), (2, 'z', 0, 'k', '{}')`
      yield* BulkJobs.drop(sql, DateTime.makeUnsafe(today - 3 * day))
      assert.lengthOf(yield* sql`select 1 from bulk_users`, 0)
    })))
})
