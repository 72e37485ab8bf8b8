import { Scope } from "#schemas/Scope.ts"
import { Brands } from "#src/content/Brands.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const many = Scope.make(1)
const large = Scope.make(2)

const plans = ["force_custom_plan", "force_generic_plan"]

const decodeToast = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ toast: Schema.String })]))

/** The table in which a table's long texts are. */
const toastOf = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  const [{ toast }] = yield* Effect.flatMap(
    sql`select reltoastrelid::regclass::text as toast from pg_class where oid = ${table}::regclass`,
    decodeToast
  )
  return toast
})

/** What a read goes through in a table, and in its long texts. */
const reading = Effect.fnUntraced(function*<A, E, R>(table: string, plan: string, read: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const planned = Effect.andThen(sql`select set_config('plan_cache_mode', ${plan}, true)`, read)
  const { result, rows } = yield* Reads.rows(yield* toastOf(table), Reads.rows(table, planned))
  return { result: result.result, rows: result.rows, pieces: rows }
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "A page that may end early by the length of its rows",
  (it) => {
    it.effect("reads the texts of the rows that it has, and no others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const tenants = yield* Tenants
        const brands = yield* Brands
        yield* sql`create temporary view long as
          select '{"text":"' || string_agg(md5(n::text), '') || '"}' as text from generate_series(1, 60000) n`
        yield* sql`insert into tenants (scope, id, name, properties, created_at, updated_at)
          select ${large}::int, 'tenant ' || n, '', text, 0, 0 from generate_series(1, 8) n, long`
        yield* sql`insert into brands (scope, id, name, settings, version, created_at, updated_at, published_at)
          select ${large}::int, 'brand ' || n, '', text, 0, n, 0, 0 from generate_series(1, 8) n, long`
        const page = { cursor: undefined, limit: 100 }
        for (
          const [table, one, all] of [
            ["tenants", tenants.get(large, "tenant 1"), tenants.list(large, { ...page, parentId: undefined })],
            ["brands", brands.get(large, "brand 1"), brands.list(large, page)]
          ] as const
        ) {
          const { pieces } = yield* reading(table, "auto", one)
          assert.isAtLeast(pieces, 100, table)
          const read = yield* reading(table, "auto", all)
          assert.lengthOf(read.result.items, 3, table)
          assert.strictEqual(read.pieces, 3 * pieces, table)
        }
      }))

    it.effect.each(plans)("reads a page, however many more rows there are (%s)", (plan) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const tenants = yield* Tenants
        const brands = yield* Brands
        yield* sql`insert into tenants (scope, id, name, parent_id, created_at, updated_at)
          select ${many}::int, 'tenant ' || n, '', 'tenant 1', 0, 0 from generate_series(10000, 15000) n
          union all select ${many}::int, 'tenant 1', '', null, 0, 0 on conflict do nothing`
        yield* sql`insert into brands (scope, id, name, version, created_at, updated_at, published_at)
          select ${many}::int, 'brand ' || n, '', 0, n, 0, 0 from generate_series(1, 5000) n on conflict do nothing`
        yield* sql`analyze tenants, brands`
        for (
          const [table, list] of [
            ["tenants", (cursor?: string) => tenants.list(many, { cursor, limit: 10, parentId: undefined })],
            ["tenants", (cursor?: string) => tenants.list(many, { cursor, limit: 10, parentId: "tenant 1" })],
            ["brands", (cursor?: string) => brands.list(many, { cursor, limit: 10 })]
          ] as const
        ) {
          const first = yield* reading(table, plan, list())
          assert.lengthOf(first.result.items, 10, table)
          const second = yield* reading(table, plan, list(first.result.cursor))
          assert.lengthOf(second.result.items, 10, table)
          assert.isAtMost(Math.max(first.rows, second.rows), 40, table)
        }
      }))
  }
)
