import { due } from "#layers/postgres/journal/Due.ts"
import type { Window } from "#src/delivery/Journal.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds so many ready messages of so many tenants. */
const add = Effect.fnUntraced(function*(place: Fixture.World, count: number, tenants: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event,
      template, recipient_name, enqueued_at, recipient, instructions, tenant_id)
    select ${place.scope}::int, id, id, ${place.shard}::int, 'transactional', 'r' || n % 5000, 'published', 'ENQUEUED', 0, '',
      '', '', 0, '{"user_id":"a"}', '{"content":{"title":"t","body":"b"}}', 't' || n % ${tenants}::int
    from (select n, '1-69000000-' || left(md5(random()::text), 24) as id from generate_series(1, ${count}::int) n) one`
})

describe("Ready rows by turns on Postgres", () => {
  it.effect("a look reads what it takes, and not all that waits, also on a day without statistics", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const place = yield* Fixture.world
      yield* add(place, 20_000, 3)
      const look = due(sql, { since: () => "", from: OpenRows.everything })
      const { result, rows } = yield* Reads.rows("messages", look(Fixture.window(place, { limit: 300 })))
      assert.isAtLeast(result.rows.length, 300)
      assert.isBelow(rows, 3_000)
    }).pipe(Effect.provide(FreshDatabase.layer)))

  it.effect("what was closed since the last vacuum is not passed by each look", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const place = yield* Fixture.world
      yield* sql`alter table messages_default set (autovacuum_enabled = false)`
      const openRows = OpenRows.make(sql, () => "")
      const look = due(sql, { since: () => "", from: openRows.from })(Fixture.window(place))
      const read = Effect.gen(function*() {
        yield* Effect.repeat(openRows.refresh, { until: () => openRows.from("transactional").seq >= lowest })
        return yield* Reads.blocks("messages", look)
      })
      let lowest = 1
      yield* add(place, 200, 3)
      const before = yield* read
      yield* sql`update messages set due_at = null`
      yield* add(place, 20_000, 3)
      yield* sql`update messages set due_at = null`
      lowest = 20_201
      yield* add(place, 200, 3)
      const after = yield* read
      assert.deepStrictEqual([before.result.rows.length, after.result.rows.length], [200, 200])
      assert.isBelow(after.blocks, 1.3 * before.blocks)
    }).pipe(Effect.provide(FreshDatabase.layer)))

  it.effect.each([400, 2_000])(
    "the turns of %s ready rows are read one after another, and none is left out",
    (count) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const place = yield* Fixture.world
        const tenants = 80
        yield* add(place, count, tenants)
        const look = due(sql, { since: () => "", from: OpenRows.everything })
        const turns: Array<string | undefined> = []
        let after: string | undefined
        do {
          const { rows, upTo } = yield* look(Fixture.window(place, { limit: tenants, after }))
          turns.push(...new Set(rows.map(({ tenantId }) => tenantId)))
          after = upTo
        } while (after !== undefined)
        assert.deepStrictEqual(turns.toSorted(), Array.makeBy(tenants, (n) => `t${n}`).toSorted())
      }).pipe(Effect.provide(FreshDatabase.layer))
  )

  it.effect.each([[60, false], [3, true]] as const)(
    "L4: a backlog of one tenant leaves none of %s others out of a look, a full turn or not: %s",
    ([others, isFull]) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const place = yield* Fixture.world
        yield* add(place, 5_000, 1)
        for (let n = 1; n <= others; n++) {
          yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event,
              template, recipient_name, enqueued_at, recipient, instructions, tenant_id)
            select ${place.scope}::int, id, id, ${place.shard}::int, 'transactional', id, 'published', 'ENQUEUED', 0, '',
              '', '', 0, '{"user_id":"a"}', '{"content":{"title":"t","body":"b"}}', ${`other ${n}`}::text
            from (select '1-69000000-' || left(md5(random()::text), 24) as id) one`
        }
        const look = due(sql, { since: () => "", from: OpenRows.everything })
        const fullTurns = isFull ? [`${place.scope}:other 1`] : []
        const found = new Set<string | undefined>()
        let after: string | undefined
        do {
          const { rows, upTo } = yield* look(Fixture.window(place, { limit: 600, after, fullTurns }))
          for (const { tenantId } of rows) found.add(tenantId)
          after = upTo
        } while (after !== undefined)
        assert.strictEqual(found.size, isFull ? others : others + 1)
      }).pipe(Effect.provide(FreshDatabase.layer))
  )

  it.effect("L4: behind those that a look asks about, one that waits for nobody comes in the next ones", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const place = yield* Fixture.world
      yield* add(place, 5_000, 1)
      yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, due_at, event,
          template, recipient_name, enqueued_at, recipient, instructions, tenant_id)
        select scope, left(id, 11) || left(md5(id), 24), request_id, shard, lane, case when seq = 4250 then 'free' else recipient_key end,
          key_state, status, due_at, event, template, recipient_name, enqueued_at, recipient, instructions, 'other'
        from messages where seq between 4000 and 4250 order by seq`
      const look = due(sql, { since: () => "", from: OpenRows.everything })
      const found: Array<string> = []
      let heldUp: Window["heldUp"]
      for (let looks = 0; looks < 2; looks++) {
        const window = yield* look(Fixture.window(place, { limit: 600, heldUp }))
        found.push(...window.rows.map(({ recipientKey }) => recipientKey))
        heldUp = window.heldUp
      }
      assert.include(found, "free")
      assert.strictEqual(new Set(found).size, 350)
    }).pipe(Effect.provide(FreshDatabase.layer)))
})
