import { due } from "#layers/postgres/journal/Due.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds so many ready messages of a tenant: of one recipient, or of as many, whose names begin so. */
const add = (place: Fixture.World, count: number, tenant: string, who: string) =>
  SqlClient.SqlClient.use((sql) =>
    sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event,
        template, recipient_name, enqueued_at, recipient, instructions, tenant_id)
      select ${place.scope}::int, id, id, ${place.shard}::int, 'transactional',
        ${who}::text || case when ${count}::int = 1 then '' else n::text end, 'published', 'ENQUEUED', 0, '',
        '', '', 0, '{"user_id":"a"}', '{"content":{"title":"t","body":"b"}}', ${tenant}::text
      from (select n, '1-69000000-' || left(md5(random()::text), 24) as id from generate_series(1, ${count}::int) n) one`
  )

/** A client that does something else, on another session, before the nth statement that reads rows by turns. */
const interrupted = (sql: SqlClient.SqlClient, nth: number, first: Effect.Effect<void>): SqlClient.SqlClient => {
  let seen = 0
  const unsafe = (text: string, params?: ReadonlyArray<unknown>) => {
    const statement = sql.unsafe(text, params)
    return text.includes("as t(turn, had, behind)") && ++seen === nth ? Effect.andThen(first, statement) : statement
  }
  return new Proxy(sql, { get: (target, key) => key === "unsafe" ? unsafe : Reflect.get(target, key) })
}

describe("A look at what is due on Postgres", () => {
  it.effect.each(
    [
      ["the turns and the rows of these", 150, 1],
      ["two rounds of shares", 400, 2]
    ] as const
  )(
    "P3: sees no later message of a recipient without an earlier one that was committed between %s",
    ([, backlog, nth]) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const place = yield* Fixture.world
        yield* add(place, backlog, "a", "other")
        if (nth > 1) yield* add(place, 1, "b", "somebody")
        const both = Effect.andThen(add(place, 1, "b", "eve"), add(place, 1, "a", "eve"))
        const elsewhere = Effect.promise(() =>
          Effect.runPromiseWith(Context.make(SqlClient.SqlClient, sql))(Effect.orDie(both))
        )
        const look = due(interrupted(sql, nth, Effect.asVoid(elsewhere)), {
          since: () => "",
          from: OpenRows.everything
        })
        const { rows } = yield* look(Fixture.window(place, { limit: 600 }))
        assert.isAtLeast(rows.length, backlog / 2)
        const ofEve = rows.filter(({ recipientKey }) => recipientKey === "eve").map(({ tenantId }) => tenantId)
        assert.notDeepEqual(ofEve, ["a"])
        assert.lengthOf(yield* sql`select from messages where scope = ${place.scope} and recipient_key = 'eve'`, 2)
      }).pipe(Effect.provide(FreshDatabase.layer))
  )
})
