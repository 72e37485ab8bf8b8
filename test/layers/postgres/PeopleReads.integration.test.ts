import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "What is asked of people reads theirs alone",
  (it) => {
    it.effect("the members that a count left behind are looked for among those of its audience", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const steps = yield* AudienceSteps
        yield* sql`insert into audiences (scope, id, name, description, version, created_at, updated_at)
          select 1, id, '', '', 3, 0, 0 from unnest(array['large', 'small']) id`
        // Most are of an earlier version, so that any 5,000 rows seem to have some that are looked for.
        yield* sql`insert into audience_members select 1, 'large', 'user ' || n, 1, 0, '' from generate_series(1, 80000) n`
        yield* sql`insert into audience_members select 1, 'small', 'user ' || n, case when n <= 10 then 1 else 3 end, 0, ''
          from generate_series(1, 20000) n`
        yield* sql`analyze audience_members`
        yield* sql`insert into audience_counts (scope, audience_id, version, requested_at) values (1, 'small', 3, 0)`
        const { rows } = yield* Reads.rows("audience_members", steps.advance)
        assert.isAtMost(rows, 20_100)
        assert.deepStrictEqual(
          yield* sql`select count(*)::int as left from audience_members where audience_id = 'small'`,
          [{ left: 19_990 }]
        )
      }))

    it.effect("what users, and lists of theirs, prefer is looked up by key, though the table was empty when it was planned", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const users = yield* UserPreferences
        const lists = yield* ListPreferences
        const own = users.find({ scope, userId: UserId.make("user 7"), tenantId: undefined }, "topic")
        const ofList = lists.find(scope, "list 7", UserId.make("user 7"))
        const planned = Effect.andThen(sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`, own)
        yield* Effect.gen(function*() {
          yield* Effect.andThen(planned, ofList)
          yield* sql`insert into user_preferences select 1, 'user ' || n, '', 'topic', '{"status":"OPTED_OUT"}', 0
            from generate_series(1, 5000) n`
          yield* sql`insert into lists (scope, id, name, created_at, updated_at)
            select 1, 'list ' || n, '', 0, 0 from generate_series(1, 5000) n`
          yield* sql`insert into list_subscriptions select 1, 'list ' || n, 'user ' || n, '{}', 0
            from generate_series(1, 5000) n`
          const ofUser = yield* Reads.rows("user_preferences", own)
          assert.strictEqual(ofUser.result.own?.status, "OPTED_OUT")
          assert.isAtMost(ofUser.rows, 10)
          const told = yield* Reads.rows("lists", Reads.rows("list_subscriptions", ofList))
          assert.deepStrictEqual(told.result.result, { list: undefined, subscription: {} })
          assert.isAtMost(told.rows, 10)
          assert.isAtMost(told.result.rows, 10)
        }).pipe(sql.withTransaction)
      }))
  }
)
