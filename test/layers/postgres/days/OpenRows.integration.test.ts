import { due } from "#layers/postgres/journal/Due.ts"
import * as ClusterReports from "#layers/postgres/Clusters.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Record from "#layers/postgres/journal/Record.ts"
import * as Take from "#layers/postgres/journal/Take.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Clusters } from "#src/reports/Clusters.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const decodeId = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: MessageId })]))
const decodeTaken = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ epoch: Schema.Number })]))
const decodeSeq = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ seq: Schema.Number })]))

/** A database, and a node's look at what is due in it. */
const started = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const place = yield* Fixture.world
  yield* TestClock.setTime(place.at)
  const openRows = OpenRows.make(sql, () => "")
  const refreshed = Effect.andThen(TestClock.adjust("10 seconds"), openRows.refresh)
  /** Adds so many messages, the first of which has this `seq`, if it is given. */
  const add = (count: number, dueAt: number, seq?: number) =>
    sql`insert into messages (scope, id, request_id, seq, shard, lane, recipient_key, key_state, status, due_at, event,
        template, recipient_name, enqueued_at, recipient, instructions)
      select ${place.scope}::int, id, id, coalesce(${
      seq ?? null
    }::bigint, nextval('message_seq')), ${place.shard}::int, 'transactional', id, 'published', 'ENQUEUED',
        ${dueAt}::bigint, '', '', '', 0, '{"user_id":"a"}', '{"content":{"title":"t","body":"b"}}'
      from (select '1-69000000-' || left(md5(random()::text), 24) as id from generate_series(1, ${count}::int)) one`
  const lookAt = (...shards: ReadonlyArray<number>) =>
    due(sql, { since: () => "", from: openRows.from })(
      Fixture.window(place, {
        now: place.at + 3_600_000,
        shards: shards.map((shard) => ({ shard, takenAtSeq: 0 }))
      })
    )
  const look = Effect.suspend(() => lookAt(place.shard))
  return { add, look, lookAt, openRows, place, refreshed, sql, count: Effect.map(look, ({ rows }) => rows.length) }
})

/** A session that does this and stays in its transaction until it is told to commit. */
const open = Effect.fnUntraced(function*<E>(sql: SqlClient.SqlClient, does: Effect.Effect<unknown, E>) {
  const done = yield* Deferred.make<unknown, E>()
  const end = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    sql.withTransaction(Effect.andThen(Deferred.into(does, done), Deferred.await(end)))
  )
  yield* Deferred.await(done)
  return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber))
})

describe("Where open messages begin, on Postgres", () => {
  it.effect.each(["ready", "timed"] as const)(
    "while a session's snapshot is held, a look does not pass the %s messages that were closed since",
    (kind) =>
      Effect.gen(function*() {
        const { add, look, openRows, place, refreshed, sql } = yield* started
        const close = yield* open(sql, sql`declare reader cursor for select from messages`)
        const dueAt = kind === "ready" ? 0 : place.at - 3_600_000
        yield* add(10_000, dueAt)
        yield* sql`update messages set due_at = null`
        yield* add(3, kind === "ready" ? 0 : dueAt + 1)
        const report = Clusters.use((clusters) => clusters.look(place.at + 3_600_000, undefined)).pipe(
          Effect.provide(Layer.provide(ClusterReports.layer, Layer.succeed(OpenRows.OpenFrom, openRows.from)))
        )
        const before = yield* Reads.blocks("messages", look)
        const reported = yield* Reads.blocks("messages", report)
        // Transactions of other databases of the server are waited for as well.
        yield* Effect.repeat(refreshed, {
          until: () => {
            const begin = openRows.from("transactional")
            return kind === "ready" ? begin.seq > 10_000 : begin.dueAt > dueAt
          }
        })
        const after = yield* Reads.blocks("messages", look)
        assert.deepStrictEqual([before.result.rows.length, after.result.rows.length], [3, 3])
        assert.isBelow(after.blocks, 60)
        assert.isAbove(before.blocks, 5 * after.blocks)
        const later = yield* Reads.blocks("messages", report)
        assert.deepStrictEqual([reported.result.due, later.result.due], [3, 3])
        assert.isAbove(reported.blocks, 5 * later.blocks)
        yield* close
      }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer))
  )

  it.effect("I1: messages that were drawn before others and become visible after them are seen at once", () =>
    Effect.gen(function*() {
      const { add, count, refreshed, sql } = yield* started
      yield* add(10, 0)
      const commit = yield* open(sql, add(2, 0))
      yield* add(10, 0)
      yield* sql`update messages set due_at = null`
      for (let n = 0; n < 3; n++) yield* refreshed
      assert.strictEqual(yield* count, 0)
      yield* commit
      assert.strictEqual(yield* count, 2)
      yield* refreshed
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)))

  it.effect("I1: one whose transaction had written nothing for long is seen within a minute", () =>
    Effect.gen(function*() {
      const { add, count, refreshed, sql } = yield* started
      const [{ seq }] = yield* decodeSeq(yield* sql`select nextval('message_seq')::float8 as seq`)
      yield* add(10, 0)
      yield* sql`update messages set due_at = null`
      for (let n = 0; n < 3; n++) yield* refreshed
      yield* add(1, 0, seq)
      for (let n = 0; n < 6; n++) yield* refreshed
      assert.strictEqual(yield* count, 1)
    }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)))

  it.effect.each([0, -3_600_000])(
    "beside another node that lags, a look does not pass what that one has left (due at %s)",
    (due) =>
      Effect.gen(function*() {
        const { add, look, lookAt, openRows, place, refreshed, sql } = yield* started
        const dueAt = due === 0 ? 0 : place.at + due
        yield* add(5_000, dueAt)
        const other = (yield* Fixture.world).shard
        yield* sql`update messages set shard = ${other}::int`
        yield* add(3, due === 0 ? 0 : dueAt + 1)
        const before = yield* Reads.rows("messages", look)
        yield* Effect.repeat(refreshed, {
          until: () => {
            const begin = openRows.from("transactional", [place.shard])
            return due === 0 ? begin.seq > 5_000 : begin.dueAt > dueAt
          }
        })
        const after = yield* Reads.rows("messages", look)
        assert.deepStrictEqual([before.result.rows.length, after.result.rows.length], [3, 3])
        assert.isAbove(before.rows, 5_000)
        assert.isBelow(after.rows, 20)
        // What was left is seen by the first look of one who takes over.
        const taken = yield* lookAt(place.shard, other)
        assert.isAbove(taken.rows.length, 100)
      }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer))
  )

  it.effect("beside another node whose messages are due later, where looks begin is found without passing those", () =>
    Effect.gen(function*() {
      const { add, look, openRows, place, refreshed, sql } = yield* started
      yield* add(5_000, place.at + 3_600_000)
      yield* sql`update messages set shard = ${(yield* Fixture.world).shard}::int`
      yield* look
      yield* refreshed
      const { rows } = yield* Reads.rows("messages", openRows.refresh)
      assert.isBelow(rows, 20)
    }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)))

  it.effect("a step that waited for the database while its message's time passed keeps it in sight", () =>
    Effect.gen(function*() {
      const { add, count, place, refreshed, sql } = yield* started
      yield* add(1, 0)
      const [{ id }] = yield* decodeId(yield* sql`select id from messages`)
      const [{ epoch }] = yield* Effect.flatMap(
        Take.write(sql)([{ shard: place.shard, node: "node", at: place.at }]),
        decodeTaken
      )
      for (let n = 0; n < 3; n++) yield* refreshed
      yield* Record.write(sql)(
        [Fixture.step(Fixture.message(place, { id }), epoch, { dueAt: place.at - 6_000_000 })],
        false
      )
      yield* refreshed
      assert.strictEqual(yield* count, 1)
    }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)))

  it.effect("a clock that is a minute behind hides nothing; one that is further behind, for a minute", () =>
    Effect.gen(function*() {
      const { add, count, place, refreshed } = yield* started
      for (let n = 0; n < 3; n++) yield* refreshed
      yield* add(1, place.at - 60_000)
      assert.strictEqual(yield* count, 1)
      yield* add(1, place.at - 6_000_000)
      for (let n = 0; n < 6; n++) yield* refreshed
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)))

  it.effect("a database that lost its last rows draws their numbers again, and they are seen at the next refresh", () =>
    Effect.gen(function*() {
      const { add, count, openRows, refreshed, sql } = yield* started
      yield* add(100, 0)
      yield* sql`truncate messages`
      yield* Effect.repeat(refreshed, { until: () => openRows.from("transactional").seq >= 100 })
      yield* sql`select setval('message_seq', 10)`
      yield* add(1, 0)
      yield* refreshed
      assert.strictEqual(yield* count, 1)
    }).pipe(Effect.scoped, Effect.provide(FreshDatabase.layer)))
})
