import { due } from "#layers/postgres/journal/Due.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ scans: Schema.Number })]))

describe("Timed rows by turns on Postgres", () => {
  it.effect("a thousand tenants that only wait cost a look a few steps, and hide nobody whose time has come", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { at, scope, shard } = yield* Fixture.world
      const wait = Effect.fnUntraced(function*(tenants: ReadonlyArray<string>, each: number, dueAt: number) {
        yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event,
            template, recipient_name, enqueued_at, recipient, instructions, tenant_id)
          select ${scope}::int, '1-69000000-' || left(md5(tenant || ' ' || n || ' ' || ${dueAt}::text), 24), '1-69000000-' || left(md5(tenant), 24), ${shard}::int, 'bulk', tenant || n, 'published', 'DELAYED', ${dueAt}::bigint, '',
            '', '', 0, '{"user_id":"a"}', '{"content":{"title":"t","body":"b"}}', tenant
          from unnest(${tenants}::text[]) as tenant, generate_series(1, ${each}::int) n`
      })
      const many = Array.from({ length: 1_000 }, (_, n) => `t${n}`)
      yield* wait(many, 1, at + 60_000)
      yield* wait(["a", "t500 many", "z"], 300, at + 60_000)
      const late = ["t1", "t500 many", "t777", "z", "zz"]
      yield* wait(late, 30, at - 1)
      yield* sql`analyze messages`
      const scans = sql`select coalesce(sum(idx_scan), 0)::float8 as scans from pg_stat_xact_user_tables
        where relname like 'messages%'`.pipe(Effect.flatMap(decode), Effect.map(([{ scans }]) => scans))
      const [{ rows }, taken] = yield* sql.withTransaction(Effect.gen(function*() {
        const before = yield* scans
        const found = yield* due(sql, { since: () => "", from: OpenRows.everything })(
          Fixture.window({ at, shard }, { limit: 50 })
        )
        return [found, (yield* scans) - before] as const
      }))
      assert.deepStrictEqual([...new Set(rows.map(({ tenantId }) => tenantId))].toSorted(), late)
      assert.isBelow(taken, 100)
    }).pipe(Effect.provide(FreshDatabase.layer), Effect.scoped))
})
