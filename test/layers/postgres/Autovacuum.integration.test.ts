import * as Migrations from "#layers/postgres/Migrations.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { Migrator, SqlClient } from "effect/sql"

const server = Effect.acquireRelease(
  Effect.promise(() => PrivatePostgres.make()),
  ({ remove }) => Effect.promise(remove)
)

/** A table that is being vacuumed for hours. */
const vacuumed = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter system set autovacuum_naptime = '1s'`
  yield* sql`select pg_reload_conf()`
  yield* sql`create table large (n int, text text) with (autovacuum_vacuum_cost_delay = 100,
    autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_threshold = 10, autovacuum_vacuum_scale_factor = 0)`
  yield* sql`insert into large select n, repeat('x', 300) from generate_series(1, 20000) n`
  yield* sql`delete from large where n % 2 = 0`
  yield* sql`select 1 from pg_stat_activity where backend_type = 'autovacuum worker' and query like '%VACUUM%large%'`
    .pipe(
      Effect.repeat({ until: (workers) => workers.length > 0, schedule: Schedule.spaced("100 millis") })
    )
})

describe.skipIf(PrivatePostgres.programs() === undefined)("Autovacuum", () => {
  it.live("a migration ends one that is in its way, and does not wait for its end", () =>
    Effect.gen(function*() {
      const { url } = yield* server
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* vacuumed
        const change = sql`alter table large add column more int`
        yield* Effect.timeout(Migrations.run("changes", Migrator.fromRecord({ "0001_more": change })), "20 seconds")
        assert.deepStrictEqual(yield* sql`select more from large limit 1`, [{ more: null }])
      }).pipe(Effect.provide(FreshDatabase.node(Redacted.make(url))))
    }), 60_000)
})
