import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Brands } from "#src/content/Brands.ts"
import { Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import type { Page } from "#src/paging/Page.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const many = Scope.make(1)
const large = Scope.make(2)
const ada = UserId.make("ada")

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

/** The environment's rows `from` to `to` of each list, with a text each. */
const filled = Effect.fnUntraced(function*(scope: Scope, from: number, to: number, text: string) {
  const sql = yield* SqlClient.SqlClient
  const numbers = sql`generate_series(${from}::int, ${to}::int) n, (select ${text}::text as text) given`
  yield* sql`insert into tenants (scope, id, name, created_at, updated_at) values (${scope}, 'top', '', 0, 0)`
  yield* sql`insert into tenants (scope, id, name, parent_id, properties, created_at, updated_at)
    select ${scope}::int, 'tenant ' || n, '', 'top', text, 0, 0 from ${numbers}`
  yield* sql`insert into brands (scope, id, name, settings, version, created_at, updated_at, published_at)
    select ${scope}::int, 'brand ' || n, '', text, 0, n, 0, 0 from ${numbers}`
  yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, created_at, updated_at)
    select ${scope}::int, 'tenant ' || n, 'ada', text, 0, 0 from ${numbers}
    union all select ${scope}::int, 'top', 'user ' || n, text, 0, 0 from ${numbers}`
  yield* sql`insert into tenant_templates (scope, tenant_id, template_id, latest, created_at, updated_at)
    select ${scope}::int, 'top', 'template ' || n, 1, 0, 0 from ${numbers}`
  yield* sql`insert into tenant_template_versions (scope, tenant_id, template_id, version, template, created_at)
    select ${scope}::int, 'top', 'template ' || n, 1, '{"content":{"elements":[]},"more":' || text || '}', 0 from ${numbers}`
  yield* sql`insert into lists (scope, id, name, preferences, created_at, updated_at)
    select ${scope}::int, 'list ' || n, '', text, 0, 0 from ${numbers}`
  yield* sql`insert into list_subscriptions (scope, list_id, user_id, preferences, created_at)
    select ${scope}::int, 'list ' || n, 'ada', text, 0 from ${numbers}`
  yield* sql`insert into templates (scope, id, draft, summary, latest, draft_at, created_at)
    select ${scope}::int, 'template ' || n, '', '{"name":"","tags":[],"more":' || text || '}', 0, 0, n from ${numbers}`
  yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered)
    select ${scope}::int, 'ada', '1-10000000-' || lpad(n::text, 24, '0'), n,
      '{"title":"","subject":"","body":"","text":"","html":"","blocks":[],"actions":[],"more":' || text || '}'
    from ${numbers}`
})

/** Each list, by the table of its large texts. */
const listsOf = Effect.fnUntraced(function*(scope: Scope, limit: number) {
  const [brands, inbox, lists] = [yield* Brands, yield* Inbox, yield* Lists]
  const [memberships, templates, tenants] = [yield* Memberships, yield* Templates, yield* Tenants]
  const tenantTemplates = yield* TenantTemplates
  type List = (cursor?: string) => Effect.Effect<Page<unknown>, unknown>
  const of = (table: string, name: string, list: List) => ({ table, name, list })
  return [
    of("tenants", "all", (cursor) => tenants.list(scope, { cursor, limit, parentId: undefined })),
    of("tenants", "below one", (cursor) => tenants.list(scope, { cursor, limit, parentId: "top" })),
    of("brands", "all", (cursor) => brands.list(scope, { cursor, limit })),
    of("tenant_users", "of a user", (cursor) => memberships.ofUser(scope, ada, { cursor, limit })),
    of("tenant_users", "of a tenant", (cursor) => memberships.ofTenant(scope, "top", { cursor, limit })),
    of("tenant_template_versions", "all", (cursor) => tenantTemplates.list(scope, "top", { cursor, limit })),
    of("lists", "all", (cursor) => lists.list(scope, { cursor, limit, pattern: undefined })),
    of("list_subscriptions", "of a user", (cursor) => lists.listsOf(scope, ada, { cursor, limit })),
    of(
      "templates",
      "all",
      (cursor) => templates.list(scope, { cursor, limit, alias: undefined, strategyId: undefined })
    ),
    of("inbox", "of a user", (cursor) => inbox.list(scope, ada, { cursor, limit }))
  ]
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "A page that may end early by the length of its rows",
  (it) => {
    it.effect("reads the texts of the rows that it has, and no others", () =>
      Effect.gen(function*() {
        const random = Array.from({ length: 200_000 }, (_, n) => (n * 2_654_435_761 % 4_294_967_296).toString(36))
        yield* filled(large, 1, 8, JSON.stringify({ text: random.join(" ").slice(0, 1_500_000) }))
        const shortest = yield* listsOf(large, 1)
        for (const [n, { list, name, table }] of (yield* listsOf(large, 100)).entries()) {
          const one = yield* reading(table, "auto", shortest[n]?.list() ?? list())
          assert.lengthOf(one.result.items, 1, `${table} ${name}`)
          assert.isAtLeast(one.pieces, 100, `${table} ${name}`)
          const page = yield* reading(table, "auto", list())
          assert.lengthOf(page.result.items, 3, `${table} ${name}`)
          assert.strictEqual(page.pieces, 3 * one.pieces, `${table} ${name}`)
        }
      }))

    it.effect.each(plans)("reads a page, however many more rows there are (%s)", (plan) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const scope = Scope.make(many + 2 * plans.indexOf(plan))
        yield* filled(scope, 10_000, 15_000, "{}")
        yield* sql`analyze`
        for (const { list, name, table } of yield* listsOf(scope, 10)) {
          const first = yield* reading(table, plan, list())
          assert.lengthOf(first.result.items, 10, `${table} ${name}`)
          const second = yield* reading(table, plan, list(first.result.cursor))
          assert.lengthOf(second.result.items, 10, `${table} ${name}`)
          assert.isAtMost(Math.max(first.rows, second.rows), 60, `${table} ${name}`)
        }
      }))
  }
)
