import { Idempotency } from "#src/access/Idempotency.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const batch = 2_000

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "Sweeps of what has expired, on Postgres",
  (it) => {
    it.effect.each(["idempotency", "inbox"])(
      "a batch begins where the last one ended, though what is deleted is still there for a backup: %s",
      (table) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const { sweep } = table === "inbox" ? yield* Inbox : yield* Idempotency
          yield* TestClock.setTime(5 * batch)
          const values = table === "inbox" ? "'u', n::text, null, 0, '', n" : "'/send', n, '', 200, '', '', '', n"
          const found = yield* sql.withTransaction(Effect.gen(function*() {
            // Met in the order of their index, each is on another page than the one before it.
            yield* sql.unsafe(`insert into ${table} select 1, ${values} from generate_series(1, ${5 * batch}) n
              order by md5(n::text)`)
            yield* sql`set local enable_seqscan = off`
            yield* sql`set local enable_sort = off`
            return yield* Effect.forEach(Array.range(1, 5), () => Reads.blocks(table, sweep(batch)))
          }))
          assert.deepStrictEqual(found.map(({ result }) => result), Array.makeBy(5, () => batch))
          const [first, last] = [found[0]?.blocks ?? 0, found[4]?.blocks ?? Infinity]
          assert.isBelow(last, 1.3 * first)
        })
    )

    it.effect("audiences follow a change without passing those that they followed, though these are still there for a backup", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { advance } = yield* AudienceSteps
        // In one transaction, so what is taken stays in the index until its end.
        const blocks = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`insert into audience_changes (scope, user_id) select 1, 'u' from generate_series(1, 60000)`
          yield* Effect.repeat(advance, { while: (more) => more })
          yield* sql`insert into audience_changes (scope, user_id) values (1, 'u')`
          return (yield* Reads.blocks("audience_changes", advance)).blocks
        }))
        assert.isBelow(blocks, 600)
      }))

    it.effect("audiences find a change that was committed long after it was numbered within two minutes, though the clock was set back", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { advance } = yield* AudienceSteps
        const looks = Effect.repeat(advance, { while: (more) => more })
        yield* TestClock.adjust("1 hour")
        yield* sql`select setval('audience_changes_seq_seq', 200000)`
        yield* looks
        yield* sql`insert into audience_changes (seq, scope, user_id) overriding system value values (100000, 1, 'u')`
        yield* TestClock.setTime(0)
        yield* TestClock.adjust("2 minutes")
        yield* looks
        assert.deepStrictEqual(yield* sql`select 1 from audience_changes`, [])
      }))
  }
)
