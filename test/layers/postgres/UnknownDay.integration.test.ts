import * as Partitions from "#layers/postgres/days/Partitions.ts"
import { Scope } from "#schemas/Scope.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { PushTickets } from "#src/reports/PushTickets.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const scope = Scope.make(1)
const now = Date.UTC(2026, 10, 21, 12)
const many = 60_000

/** Messages, requests and tickets of which nobody has looked at how many there are, or only when all had ended well. */
const unknown = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(now)
  yield* Partitions.ensure(sql)
  for (const table of ["messages_20261121", "expansions", "push_tickets"]) {
    yield* sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  }
  const ids = sql`(select n, ${`1-${(now / 1_000 - 60).toString(16)}-`} || left(md5(n::text), 24) as id
    from generate_series(1, ${many}::int) n) x`
  yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
      recipient_name, enqueued_at, recipient, instructions)
    select 1, id, id, 1, 'bulk', id, 'published', 'SENT', '', '', id, 0, '{}', '{}' from ${ids}`
  yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, accepted_at, advanced_at)
    select 1, id, 0, 'published', '[]', '{}', '', 'COMPLETED', 0, 0 from ${ids}`
  yield* sql`insert into push_tickets select 1, id, 1, 'expo', '[]', true, 0, ${now} + n from ${ids}`
})

const stores = Layer.effectDiscard(unknown).pipe(
  Layer.provideMerge(Stores.layer),
  Layer.provideMerge(FreshDatabase.layerEmpty)
)

layer(stores, { timeout: "60 seconds" })("What is read of a table of which nothing is known", (it) => {
  const planned = <A, E, R>(plan: string, table: string, effect: Effect.Effect<A, E, R>) =>
    SqlClient.SqlClient.use((sql) =>
      Reads.rows(table, Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, effect))
    )

  for (const plan of ["force_custom_plan", "force_generic_plan"]) {
    it.effect(`of messages, not many more than the first stretch of a search, or than are named (${plan})`, () =>
      Effect.gen(function*() {
        const log = yield* MessageLog
        const { result, rows } = yield* planned(plan, "messages", log.list(scope, { ...Fixture.anything, limit: 20 }))
        assert.strictEqual(result.items.length, 20)
        assert.isBelow(rows, 2_500)
        const [message] = result.items
        // A plan for any trace, kept from when nothing is known of a small day, reads that day.
        const trace = plan === "force_custom_plan" ? [{ traceId: message?.requestId }] : []
        for (const named of [...trace, { recipient: message?.recipient }]) {
          const found = yield* planned(plan, "messages", log.list(scope, { ...Fixture.anything, ...named, limit: 20 }))
          assert.strictEqual(found.result.items.length, 1)
          assert.isBelow(found.rows, 100)
        }
      }))

    it.effect(`of requests in a state, a page (${plan})`, () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const log = yield* MessageLog
        const page = (state: "COMPLETED" | "FAILED" | undefined) =>
          planned(plan, "expansions", log.requests(scope, { cursor: undefined, limit: 20, state }))
        for (const state of [undefined, "COMPLETED"] as const) {
          const { result, rows } = yield* page(state)
          assert.strictEqual(result.items.length, 20)
          assert.isBelow(rows, 50)
        }
        assert.isBelow((yield* page("FAILED")).rows, 50)
        // Since all have one state, a plan for any state would look for it among all.
        yield* sql`analyze expansions`
        assert.isBelow((yield* page("FAILED")).rows, 50)
        yield* sql`delete from pg_statistic where starelid = 'expansions'::regclass`
      }))

    it.effect(`of the tickets of pushes, those that are taken and kept (${plan})`, () =>
      Effect.gen(function*() {
        const tickets = yield* PushTickets
        yield* TestClock.setTime(now + many)
        const taken = yield* planned(plan, "push_tickets", tickets.take(1_000))
        assert.strictEqual(taken.result.length, 1_000)
        assert.isBelow(taken.rows, 5_000)
        const left = taken.result.map((row, n) => ({ ...row, dueAt: n % 2 === 0 ? undefined : now + 2 * many }))
        assert.isBelow((yield* planned(plan, "push_tickets", tickets.keep(left))).rows, 5_000)
      }))
  }
})
