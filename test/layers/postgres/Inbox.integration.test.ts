import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Inbox, type Marking } from "#src/reports/Inbox.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const ada = UserId.make("ada")

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)))("The in-app inbox on Postgres", (it) => {
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
})
