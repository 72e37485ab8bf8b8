import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Lists } from "#src/people/Lists.ts"
import { Members } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
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
  for (const table of ["lists", "list_subscriptions", "profiles", "tenant_users"]) {
    yield* sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  }
  yield* sql`insert into lists (scope, id, name, created_at, updated_at) select 1, 'l' || n, '', 0, 0
    from generate_series(1, ${8 * many}::int) n`
  yield* sql`insert into list_subscriptions (scope, list_id, user_id, created_at) select 1, 'l' || n, 'ada', 0
    from generate_series(1, ${many}::int) n`
  yield* sql`insert into list_subscriptions (scope, list_id, user_id, created_at) select 1, ${list}, 'u' || n, 0
    from generate_series(1, ${many}::int) n`
  yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, generation, created_at, updated_at)
    select 1, 't' || n, 'ada', '{}', 0, 0, 0 from generate_series(1, ${many}::int) n`
  yield* sql`insert into profiles (scope, user_id, profile, created_at, updated_at)
    select 1, 'u' || n, '{}', 0, 0 from generate_series(1, ${many}::int) n`
}))

const stores = unknown.pipe(Layer.provideMerge(Stores.layer), Layer.provideMerge(FreshDatabase.layerEmpty))

layer(stores, { timeout: "120 seconds" })("What is written of many at once", (it) => {
  const soon = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    SqlClient.SqlClient.use((sql) =>
      sql.withTransaction(Effect.andThen(sql`select set_config('statement_timeout', '10s', true)`, effect))
    )
  const left = (table: string, condition: string) =>
    SqlClient.SqlClient.use((sql) => sql.unsafe(`select 1 from ${table} where ${condition} limit 1`))

  it.effect.each(["force_custom_plan", "force_generic_plan"])(
    "a page of members of a pattern, of lists, or of profiles that are counted, reads a page of them (%s)",
    (plan) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const lists = yield* Lists
        const members = yield* Members
        const planned = <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) =>
          Reads.rows(table, Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, effect))
        const pattern = { text: "l.*", expression: "^l", prefix: "l" }
        const page = members.page(scope, { _tag: "Pattern", pattern }, { after: undefined, limit: 50, memberOf: [] })
        const met = yield* planned("lists", page)
        assert.strictEqual(met.result.length, 50)
        assert.isBelow(met.rows, 500)
        for (const one of [undefined, pattern]) {
          const listed = yield* planned("lists", lists.list(scope, { limit: 20, cursor: undefined, pattern: one }))
          assert.strictEqual(listed.result.items.length, 20)
          assert.isBelow(listed.rows, 100)
        }
        const audience = { name: "all", description: "", filter: { filters: [] }, operator: undefined }
        yield* (yield* Audiences).put(scope, `all ${plan}`, audience)
        const counted = yield* planned("profiles", (yield* AudienceSteps).advance)
        assert.isTrue(counted.result)
        assert.isBelow(counted.rows, 2_500)
      })
  )

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
