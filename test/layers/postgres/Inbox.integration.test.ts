import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Inbox, type Marking } from "#src/reports/Inbox.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const ada = UserId.make("ada")

/** Done once a session waits for another one's lock. */
const somebodyWaits = SqlClient.SqlClient.use((sql) =>
  sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
).pipe(Effect.repeat({ until: (found) => found.length > 0, schedule: Schedule.spaced("10 millis") }))

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "The in-app inbox on Postgres",
  (it) => {
    it.effect("marks of all write only what they change: the same again, or nothing, writes no row", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const inbox = yield* Inbox
        yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered, read_at)
        select ${scope}, ${ada}, n::text, n, '', case when n > 2 then 0 end from generate_series(1, 5) n`
        /** Which rows a marking of all writes: each has another place then. */
        const written = Effect.fnUntraced(function*(marking: Marking, isRead?: boolean) {
          const places = sql`select message_id as id, ctid::text as place from inbox order by message_id`
          const before = yield* places
          yield* inbox.markAll(scope, ada, marking, isRead)
          return (yield* places).flatMap(({ id, place }, n) => place === before[n]?.["place"] ? [] : [id])
        })
        assert.deepStrictEqual(yield* written({}), [])
        assert.deepStrictEqual(yield* written({ read: true }), ["1", "2"])
        assert.deepStrictEqual(yield* written({ read: true }), [])
        assert.deepStrictEqual(yield* written({ read: true, opened: true }), ["1", "2", "3", "4", "5"])
        assert.deepStrictEqual(yield* written({ read: true, opened: true }, true), [])
        assert.deepStrictEqual(yield* written({ read: false }, false), [])
        assert.deepStrictEqual(yield* written({ read: false }), ["1", "2", "3", "4", "5"])
        assert.deepStrictEqual(yield* written({ archived: true }), ["1", "2", "3", "4", "5"])
      }))

    it.effect(
      "two marks of all wait for each other in the order of the messages, and the second finds what the first left",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const inbox = yield* Inbox
          const bob = UserId.make("bob")
          yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered)
        select ${scope}, ${bob}, n::text, 9 - n, '' from generate_series(5, 1, -1) n`
          const locked = yield* Latch.make()
          const end = yield* Latch.make()
          const other = yield* sql`update inbox set opened_at = 7 where user_id = ${bob} and message_id = '1'`.pipe(
            Effect.andThen(locked.open),
            Effect.andThen(end.await),
            Effect.andThen(sql`update inbox set archived_at = 7 where user_id = ${bob} and message_id = '4'`),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* locked.await
          const marked = yield* Effect.forkChild(inbox.markAll(scope, bob, { read: true }, undefined))
          yield* somebodyWaits
          yield* end.open
          yield* Fiber.join(other)
          yield* Fiber.join(marked)
          const rows = yield* sql`select message_id as id, read_at is not null as "isRead", opened_at::int as opened
        from inbox where user_id = ${bob} order by message_id`
          assert.deepStrictEqual(rows.map(({ id, isRead, opened }) => [id, isRead, opened]), [
            ["1", true, 7],
            ["2", true, null],
            ["3", true, null],
            ["4", false, null],
            ["5", true, null]
          ])
        }),
      30_000
    )
  }
)
