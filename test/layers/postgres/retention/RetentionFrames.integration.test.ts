import * as Retention from "#layers/postgres/retention/Retention.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import { day, idAt, Ids, onToday, stored, today } from "#test/layers/postgres/retention/Retained.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

describe("Retention of frames", () => {
  it.effect("a mail's frame outlives every output that may have it, and is dropped after them", () =>
    onToday(Effect.gen(function*() {
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
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Partitions.ensure(sql)
      yield* sql`insert into frames (scope, name, pieces, used_at) values (1, 'f', '[]', 0), (2, 'f', '[]', ${today})`
      yield* Retention.drop(sql, 7)
      assert.deepStrictEqual(yield* sql`select scope from frames`, [{ scope: 2 }])
    })))

  it.effect("a frame that is being written is not waited for, and stays: with who writes several, a wait could be a deadlock", () =>
    onToday(Effect.gen(function*() {
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
})
