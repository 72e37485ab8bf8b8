import * as Backlogs from "#layers/postgres/Backlogs.ts"
import * as Clusters from "#layers/postgres/Clusters.ts"
import { due } from "#layers/postgres/journal/Due.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import { Scope } from "#schemas/Scope.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Backlogs as BacklogsService } from "#src/reports/Backlog.ts"
import { Clusters as ClustersService } from "#src/reports/Clusters.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const now = Date.UTC(2026, 10, 21, 12)

/** Ready messages, and as many that are due by now: more than any look counts. */
const each = 12_000

/** So many messages of 20 tenants in today's partition. */
const add = (sql: SqlClient.SqlClient, prefix: string, count: number, dueAt: number | null) =>
  sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template,
      recipient_name, enqueued_at, recipient, instructions, tenant_id)
    select 1, id, id, 1, 'bulk', id, 'published', 'ENQUEUED', ${dueAt}::bigint, '', '', '', 0, '{"user_id":"a"}', '{}', 't' || n % 20
    from (select n, ${`1-${(now / 1_000).toString(16)}-${prefix}`} || lpad(n::text, 20, '0') as id
      from generate_series(1, ${count}::int) n) one`

/** A day that was analysed when nothing was open, and what came then. */
const backlog = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(now)
  yield* Partitions.ensure(sql)
  yield* add(sql, "aaaa", 5_000, null)
  yield* sql`vacuum analyze messages`
  yield* add(sql, "bbbb", each, 0)
  yield* add(sql, "cccc", each, now - 1)
}))

const stores = backlog.pipe(
  Layer.provideMerge(Layer.mergeAll(Stores.layer, Backlogs.layer, Clusters.layer)),
  Layer.provideMerge(FreshDatabase.layerEmpty)
)

layer(stores, { timeout: "60 seconds" })("A backlog that came after the day was analysed with an empty queue", (it) => {
  it.effect("a look reads a few rows for each that it takes", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const look = due(sql, { since: () => "", from: OpenRows.everything })
      const window = Fixture.window({ at: now, shard: 1 }, { limit: 300 })
      const { result, rows } = yield* Reads.rows("messages", look(window))
      assert.isAtLeast(result.rows.length, 600)
      assert.isBelow(rows, 4_000)
      // Behind turns that were not read, each ready row asks for older ones of its recipient.
      const later = yield* Reads.rows("messages", look({ ...window, after: "1:t1" }))
      assert.isAtLeast(later.result.rows.length, 400)
      assert.isBelow(later.rows, 4_000)
    }))

  it.effect.each(["force_custom_plan", "force_generic_plan"])(
    "when the next message is due is found without a look at the others (%s)",
    (plan) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const look = due(sql, { since: () => "", from: () => ({ seq: 1_000_000, dueAt: now }) })
        const { rows } = yield* Reads.rows(
          "messages",
          Effect.andThen(
            sql`select set_config('plan_cache_mode', ${plan}, true)`,
            look(Fixture.window({ at: now, shard: 1 }))
          )
        )
        assert.isBelow(rows, 10)
      })
  )

  it.effect("where open messages begin is found by reading the first ones", () =>
    Effect.gen(function*() {
      const openRows = OpenRows.make(yield* SqlClient.SqlClient, () => "")
      const { rows } = yield* Reads.rows("messages", openRows.refresh)
      assert.isBelow(rows, 10)
    }))

  it.effect("whether there is a bulk backlog is known after as many rows as make one", () =>
    Effect.gen(function*() {
      const { isBacklogged } = yield* Expansions
      const { result, rows } = yield* Reads.rows("messages", isBacklogged(1_000, Array.makeBy(20, (n) => `1:t${n}`)))
      assert.isTrue(result)
      assert.isAtMost(rows, 1_010)
    }))

  it.effect("a report reads no more of the backlog than it counts", () =>
    Effect.gen(function*() {
      const { measure } = yield* BacklogsService
      const { look } = yield* ClustersService
      const measured = yield* Reads.rows("messages", measure(now))
      assert.strictEqual(measured.result.depth, 10_000)
      assert.isAtMost(measured.rows, 20_010)
      const looked = yield* Reads.rows("messages", look(now, Scope.make(1)))
      assert.strictEqual(looked.result.due, 10_000)
      assert.isAtMost(looked.rows, 20_010)
    }))
})
