import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const list = ListId.make("everyone")
const ada = UserId.make("ada")

/** If each were compared with all, it would take half a minute; by key it takes less than a second. */
const many = 30_000

/** Tables of which nothing is known: nobody has looked at them yet, as in the minute after they were filled. */
const unknown = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["list_subscriptions", "tenant_users"]) {
    yield* sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  }
  yield* sql`insert into lists (scope, id, name, created_at, updated_at) select 1, 'l' || n, '', 0, 0
    from generate_series(1, ${many}::int) n`
  yield* sql`insert into list_subscriptions (scope, list_id, user_id, created_at) select 1, 'l' || n, 'ada', 0
    from generate_series(1, ${many}::int) n`
  yield* sql`insert into list_subscriptions (scope, list_id, user_id, created_at) select 1, ${list}, 'u' || n, 0
    from generate_series(1, ${many}::int) n`
  yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, generation, created_at, updated_at)
    select 1, 't' || n, 'ada', '{}', 0, 0, 0 from generate_series(1, ${many}::int) n`
}))

const stores = unknown.pipe(Layer.provideMerge(Stores.layer), Layer.provideMerge(FreshDatabase.layerEmpty))

layer(stores, { timeout: "120 seconds" })("What is written of many at once", (it) => {
  const soon = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    SqlClient.SqlClient.use((sql) =>
      sql.withTransaction(Effect.andThen(sql`select set_config('statement_timeout', '10s', true)`, effect))
    )
  const left = (table: string, condition: string) =>
    SqlClient.SqlClient.use((sql) => sql.unsafe(`select 1 from ${table} where ${condition} limit 1`))

  it.effect("a list gets the subscribers that it has, but for one who goes and one who comes: only these are written", () =>
    Effect.gen(function*() {
      const users = Array.makeBy(many, (n) => ({ userId: UserId.make(`u${n}`), preferences: undefined }))
      const sql = yield* SqlClient.SqlClient
      const lists = yield* Lists
      // These may count what the session wrote before, too.
      const counted = sql<Record<"added" | "changed" | "gone", number>>`
        select n_tup_ins::int as added, n_tup_upd::int as changed, n_tup_del::int as gone
        from pg_stat_xact_user_tables where relname = 'list_subscriptions'`
      const [before, after] = yield* soon(
        Effect.all([counted, Effect.andThen(lists.replaceSubscriptions(scope, list, users), counted)])
      )
      const written = (["added", "changed", "gone"] as const).map((what) =>
        (after[0]?.[what] ?? NaN) - (before[0]?.[what] ?? NaN)
      )
      assert.deepStrictEqual(written, [1, 0, 1])
      assert.lengthOf(yield* left("list_subscriptions", `list_id = '${list}' and user_id = 'u0'`), 1)
      assert.lengthOf(yield* left("list_subscriptions", `list_id = '${list}' and user_id = 'u${many}'`), 0)
    }))

  it.effect("a user leaves very many lists", () =>
    Effect.gen(function*() {
      yield* soon((yield* Lists).leave(scope, ada))
      assert.lengthOf(yield* left("list_subscriptions", "user_id = 'ada'"), 0)
    }))

  it.effect("a profile is deleted with those in very many tenants, and its user leaves them", () =>
    Effect.gen(function*() {
      yield* soon((yield* Profiles).remove(scope, ada))
      assert.lengthOf(yield* left("tenant_users", "profile is not null"), 0)
      yield* soon((yield* Memberships).removeAll(scope, ada))
      assert.lengthOf(yield* left("tenant_users", "user_id = 'ada'"), 0)
    }))
})
