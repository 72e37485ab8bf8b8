import * as Retention from "#layers/postgres/retention/Retention.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { day, idAt, Ids, onToday, requested, stored, today } from "#test/layers/postgres/retention/Retained.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

describe("Retention", () => {
  it.effect("drops whole days that ended before, never one with an open message, and nothing younger", () =>
    onToday(Effect.gen(function*() {
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

  it.effect("drops what ended before of days that no partition was made for, whole messages at a time", () =>
    onToday(Effect.gen(function*() {
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

  it.effect("drops the requests to many of a day with it, and no day of which one still becomes messages", () =>
    onToday(Effect.gen(function*() {
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

  it.effect("reads a day's own requests to many, however many are kept", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(today - 9 * day)
      yield* Partitions.ensure(sql)
      yield* TestClock.setTime(today)
      yield* requested(idAt(today - 9 * day, "a"), null)
      yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, accepted_at, advanced_at)
        select 1, ${idAt(today, "b")} || n, 0, 'published', '', '', '', '', 0, 0 from generate_series(1, 30000) n`
      yield* sql`analyze expansions`
      const { blocks } = yield* Reads.blocks("expansions", Retention.drop(sql, 7))
      assert.lengthOf(yield* sql`select 1 from expansions`, 30_000)
      assert.isBelow(blocks, 100)
    })))

  it.effect("begins soon after the start, and goes on every hour", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const old = sql`insert into bulk_jobs (scope, id, definition, created_at) values (1, 'old', '{}', 0)`
      const isLeft = Effect.map(sql`select 1 from bulk_jobs`, (jobs) => jobs.length > 0)
      yield* old
      yield* Layer.build(Retention.layer({ auditRetentionDays: undefined, retentionDays: 7 }))
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(isLeft, { while: (left) => left })
      yield* old
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), isLeft), { while: (left) => left })
    })))

  it.effect("a run that fails is told of, and is not the last", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const told = yield* Latch.make()
      const heard = Logger.make(({ message }) => {
        if (String(message).startsWith("old messages were not dropped")) Latch.openUnsafe(told)
      })
      yield* sql`insert into bulk_jobs (scope, id, definition, created_at) values (1, 'old', '{}', 0)`
      yield* sql`alter table bulk_jobs rename to away`
      yield* Layer.build(
        Retention.layer({ auditRetentionDays: undefined, retentionDays: 7 }).pipe(Layer.provide(Logger.layer([heard])))
      )
      yield* TestClock.adjust("1 minute")
      yield* told.await
      yield* sql`alter table away rename to bulk_jobs`
      const isLeft = Effect.map(sql`select 1 from bulk_jobs`, (jobs) => jobs.length > 0)
      yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), isLeft), { while: (left) => left })
    })))

  it.effect("drops a day while a vacuum is at work on another one", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const back of [9, 0]) {
        yield* TestClock.setTime(today - back * day)
        yield* Partitions.ensure(sql)
      }
      yield* TestClock.setTime(today)
      const isAtWork = yield* Latch.make()
      const isOver = yield* Latch.make()
      // The lock that a vacuum takes.
      const vacuum = yield* sql`lock table messages_20261121, attempts_20261121 in share update exclusive mode`.pipe(
        Effect.andThen(isAtWork.open),
        Effect.andThen(isOver.await),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* isAtWork.await
      const tries = Effect.forever(Effect.andThen(sql`select 1`, TestClock.adjust("500 millis")))
      const gone = yield* Effect.raceFirst(Retention.drop(sql, 7), tries).pipe(Effect.ensuring(isOver.open))
      yield* Fiber.join(vacuum)
      assert.include([...gone], "20261111")
    })))

  it.effect("reads none of a day's closed messages while it keeps all others from the table, whatever statistics say", () =>
    onToday(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const old = today - 9 * day
      yield* TestClock.setTime(old)
      yield* Partitions.ensure(sql)
      yield* TestClock.setTime(today)
      // Analysed with a backlog that is closed since; the one message that stays open is the last that a scan finds.
      yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template,
          recipient_name, enqueued_at, recipient, instructions)
        select 1, id, id, 0, 'bulk', id, 'published', 'SENT', 0, '', '', '', 0, '{}', '{}'
        from (select ${idAt(old, "")} || lpad(n::text, 24, '0') as id from generate_series(1, 5000) n) one`
      yield* sql`vacuum analyze messages`
      yield* sql`update messages set due_at = null`
      yield* sql`vacuum messages`
      yield* stored(idAt(old, "f"), today)
      yield* sql`delete from inbox`
      const { result, rows } = yield* Reads.rows("messages", Retention.drop(sql, 7))
      assert.notInclude(result, "20261112")
      assert.isBelow(rows, 10)
    })))
})
