import { due } from "#layers/postgres/journal/Due.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

describe("Ready rows by turns on Postgres", () => {
  it.effect("a look reads what it takes, and not all that waits, also on a day without statistics", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const place = yield* Fixture.world
      yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event,
          template, recipient_name, enqueued_at, recipient, instructions, tenant_id)
        select ${place.scope}::int, id, id, ${place.shard}::int, 'transactional', 'r' || n % 5000, 'published', 'ENQUEUED', 0, '',
          '', '', 0, '{"user_id":"a"}', '{"content":{"title":"t","body":"b"}}', 't' || n % 3
        from (select n, '1-69000000-' || left(md5(n::text), 24) as id from generate_series(1, 20000) n) one`
      const look = due(sql, { since: () => "", from: OpenRows.everything })
      const { result, rows } = yield* Reads.rows("messages", look(Fixture.window(place, { limit: 300 })))
      assert.isAtLeast(result.rows.length, 300)
      assert.isBelow(rows, 2_000)
    }).pipe(Effect.provide(FreshDatabase.layer)))
})
