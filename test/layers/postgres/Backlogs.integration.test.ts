import * as Backlogs from "#layers/postgres/Backlogs.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import type { Status } from "#schemas/Status.ts"
import { Backlogs as Backlog } from "#src/reports/Backlog.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const now = Date.UTC(2026, 10, 21, 12)

const stores = Layer.mergeAll(Stores.layer, Backlogs.layer).pipe(Layer.provideMerge(FreshDatabase.layerEmpty))

let sets = 0

/** So many messages in today's partition. */
const add = Effect.fnUntraced(
  function*(count: number, status: Status, lane: "transactional" | "bulk", dueAt: number | null) {
    const sql = yield* SqlClient.SqlClient
    const prefix = `1-${(now / 1_000).toString(16)}-${(sets += 1).toString(16).padStart(10, "0")}`
    yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event, template,
        recipient_name, enqueued_at, recipient, instructions)
      select 1, id, id, 1, ${lane}, id, 'published', ${status}, ${dueAt}::bigint, '', '', '', 0, '{"user_id":"a"}', '{}'
      from (select ${prefix} || lpad(n::text, 14, '0') as id from generate_series(1, ${count}::int) n) one`
  }
)

const request = Effect.fnUntraced(function*(id: string, dueAt: number | null) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, due_at, accepted_at, advanced_at)
    values (1, ${id}, 1, 'published', '[]', '{}', '{}', 'RUNNING', ${dueAt}::bigint, 0, 0)`
})

const today = Effect.gen(function*() {
  yield* TestClock.setTime(now)
  yield* Partitions.ensure(yield* SqlClient.SqlClient)
})

describe("the backlog", () => {
  it.effect(
    "tells what waits for a later time, by what it waits for, apart from what is due",
    () =>
      Effect.gen(function*() {
        const { measure } = yield* Backlog
        yield* today
        yield* add(1, "ENQUEUED", "transactional", 0)
        yield* add(2, "DELAYED", "bulk", now)
        yield* add(3, "DELAYED", "transactional", now + 1)
        yield* add(4, "DELAYED", "bulk", now + 86_400_000)
        yield* add(5, "ROUTED", "bulk", now + 5_000)
        yield* add(6, "ENQUEUED", "transactional", now + 900_000)
        yield* add(7, "SENT", "transactional", now + 60_000)
        yield* add(8, "DELIVERED", "bulk", now + 60_000)
        yield* add(9, "SENT", "bulk", null)
        for (const dueAt of [0, now, now + 60_000]) yield* request(`r${dueAt}`, dueAt)
        yield* request("done", null)
        assert.deepStrictEqual(yield* measure(now), {
          depth: 3,
          waiting: { delay: 7, retry: 11, escalation: 15 },
          requests: 3,
          counted: 10_000,
          oldestDueMs: 0
        })
      }).pipe(Effect.provide(stores)),
    60_000
  )

  it.effect(
    "counts what is due next of what waits, in whichever lane, and reads no more of each than it counts",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { measure } = yield* Backlog
        yield* today
        yield* add(30_000, "SENT", "bulk", null)
        yield* sql`vacuum analyze messages`
        yield* add(12_000, "DELAYED", "transactional", now + 86_400_000)
        yield* add(6_000, "ROUTED", "bulk", now + 5_000)
        yield* add(6_000, "DELAYED", "bulk", now + 86_400_000)
        const { result: { depth, waiting }, rows } = yield* Reads.rows("messages", measure(now))
        assert.deepStrictEqual({ depth, ...waiting }, { depth: 0, delay: 4_000, retry: 6_000, escalation: 0 })
        assert.isAtMost(rows, 20_010)
      }).pipe(Effect.provide(stores)),
    60_000
  )
})
