import * as Retention from "#layers/postgres/retention/Retention.ts"
import * as Audit from "#layers/postgres/retention/Audit.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { day, onToday, today } from "#test/layers/postgres/retention/Retained.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

/** So many events of an environment, a millisecond apart, the last of them just before `to`; stored in any order. */
const recorded = Effect.fnUntraced(function*(scope: number, count: number, to: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into audit_events (scope, id, at, type, source, target, actor)
    select ${scope}, ${`${to} `} || n, ${to}::bigint - n, '', '', '', '{"id":""}' from generate_series(1, ${count}::int) n
    order by md5(n::text)`
})

const left = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select scope, count(*)::int as events, min(at)::float8 as oldest from audit_events group by 1 order by 1`
)

describe("Retention of the audit", () => {
  it.effect("drops what was recorded before, of every environment, a batch at a time, and nothing younger", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table pieces (size int)`
      yield* sql.unsafe(`create function piece() returns trigger language plpgsql as $$ begin
        insert into pieces select count(*) from gone having count(*) > 0; return null; end $$`).unprepared
      yield* sql`create trigger pieces after delete on audit_events referencing old table as gone
        for each statement execute function piece()`
      const before = today - 90 * day
      yield* recorded(1, 12_000, before)
      yield* recorded(2, 10, before)
      for (const scope of [1, 2]) yield* recorded(scope, 1, before + 1)
      yield* recorded(2, 5, today)
      yield* Audit.drop(sql, DateTime.makeUnsafe(before))
      assert.deepStrictEqual(yield* left, [
        { scope: 1, events: 1, oldest: before },
        { scope: 2, events: 6, oldest: before }
      ])
      assert.deepStrictEqual(yield* sql`select size from pieces order by size`, [
        { size: 10 },
        { size: 2_000 },
        { size: 5_000 },
        { size: 5_000 }
      ])
    })))

  it.effect("a batch reads its own events alone, though those of earlier ones are still there for a backup", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* recorded(1, 20_000, today)
      // In one transaction, so what is deleted stays in the indexes until its end.
      const { blocks } = yield* Reads.blocks("audit_events", Audit.drop(sql, DateTime.makeUnsafe(today)))
      assert.deepStrictEqual(yield* left, [])
      assert.isBelow(blocks, 100_000)
    })))

  it.effect("begins soon after the start, and goes on every hour; days of messages are kept for as long as they are set to be", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into bulk_jobs (scope, id, definition, created_at) values (1, 'old', '{}', 0)`
      const isLeft = Effect.map(left, (events) => events.length > 0)
      yield* recorded(1, 1, today - 90 * day)
      yield* Layer.build(Retention.layer({ auditRetentionDays: 90, retentionDays: undefined }))
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(isLeft, { while: (are) => are })
      yield* recorded(1, 1, today - 90 * day)
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), isLeft), { while: (are) => are })
      assert.lengthOf(yield* sql`select 1 from bulk_jobs`, 1)
    })))
})
