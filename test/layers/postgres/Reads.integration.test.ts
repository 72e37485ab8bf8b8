import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Scope } from "#schemas/Scope.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Audit } from "#src/reports/Audit.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)

/** Each statement with a plan for its parameters, and with the one that is kept for all of them. */
const plans = ["force_custom_plan", "force_generic_plan"]

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "What statements read, however much is stored and whatever is known of it",
  (it) => {
    it.effect("a page of the audit reads a page of it", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const audit = yield* Audit
        yield* sql`insert into audit_events (scope, id, at, type, source, target, actor)
          select 1, 'aev_' || md5(n::text), n, '', '', '', '{"id":""}' from generate_series(1, 5000) n`
        yield* sql`analyze audit_events`
        const first = yield* Reads.rows("audit_events", audit.list(scope, { cursor: undefined, limit: 10 }))
        assert.isAtMost(first.rows, 20)
        assert.strictEqual(first.result.items[0]?.at, 5000)
        const second = yield* Reads.rows("audit_events", audit.list(scope, { cursor: first.result.cursor, limit: 10 }))
        assert.isAtMost(second.rows, 20)
        assert.strictEqual(second.result.items[0]?.at, 4990)
      }))

    it.effect.each(plans)(
      "adding to a bulk job reads no users but those that are added again (%s)",
      (plan) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const jobs = yield* Jobs
          const job = `job ${plan}`
          yield* sql`insert into bulk_jobs (scope, id, definition, received, created_at) values (1, ${job}, '', 5000, 0)`
          yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user)
          select 1, ${job}, n, 'key ' || n, '{}' from generate_series(0, 4999) n`
          const users = Array.makeBy(100, (n) => ({ key: `key ${4_990 + n}`, user: {}, error: undefined }))
          const { result, rows } = yield* Reads.rows(
            "bulk_users",
            Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, jobs.add(scope, job, users))
          )
          assert.strictEqual(result.size, 10)
          assert.isAtMost(rows, 200)
        })
    )

    it.effect("following a few users' changes reads what is stored of them, and of nobody else", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const steps = yield* AudienceSteps
        yield* sql`insert into audiences (scope, id, name, description, filter, version, created_at, updated_at)
          select 1, 'audience ' || n, '', '', '{"filters":[]}', 1, 0, 0 from generate_series(1, 10) n`
        yield* sql`insert into profiles select 1, 'user ' || n, '{}', 0, 0 from generate_series(1, 5000) n`
        yield* sql`insert into audience_members select 1, 'audience ' || n % 10, 'user ' || n, 1, 0, '' from generate_series(1, 5000) n`
        for (const plan of plans) {
          yield* sql`delete from audience_changes`
          yield* sql`insert into audience_changes (scope, user_id) select 1, 'user ' || n from generate_series(1, 300) n`
          const follow = Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, steps.advance)
          const { result, rows } = yield* Reads.rows("profiles", Reads.rows("audience_members", follow))
          assert.isTrue(result.result)
          assert.isAtMost(rows, 400, plan)
          assert.isAtMost(result.rows, 2_000, plan)
        }
      }))
  }
)
