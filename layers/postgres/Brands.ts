import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as StoredWays from "#layers/postgres/Ways.ts"
import { BrandSettings, BrandSnippets } from "#schemas/Brand.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import {
  BrandExists,
  BrandInUse,
  BrandLimit,
  BrandNotFound,
  type BrandRecord,
  Brands,
  TooManyBrands
} from "#src/content/Brands.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const settingsText = Schema.fromJsonString(BrandSettings)
const snippetsText = Schema.fromJsonString(BrandSnippets)
const encodeSettings = Schema.encodeEffect(settingsText)
const encodeSnippets = Schema.encodeEffect(snippetsText)

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  settings: settingsText,
  snippets: snippetsText,
  version: Schema.Number,
  created: Schema.Number,
  updated: Schema.Number,
  published: Schema.Number
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const columns = `id, name, coalesce(settings, '{}') as settings, coalesce(snippets, '{}') as snippets,
  version::float8 as version, created_at::float8 as created, updated_at::float8 as updated,
  published_at::float8 as published`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const most = yield* BrandLimit
  const newId = yield* TypeId.generator("bnd")
  const revisions = yield* Revisions.make("brands")
  const ways = StoredWays.make(sql)
  const listed = Readable.listed("brand", Row)

  const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const rows = yield* sql`select ${sql.literal(columns)} from brands where scope = ${scope} and id = ${id}`
    return Array.head(yield* decode(rows))
  })

  const get = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const row = yield* find(scope, id)
    return Option.isSome(row) ? row.value : yield* new BrandNotFound({ id })
  }, orUnavailable)

  // Every write bumps the revision first: its row is the lock that serialises the writes of a scope's brands.
  const create: Brands["Service"]["create"] = Effect.fnUntraced(
    function*(scope, given, { name, settings, snippets }) {
      yield* revisions.bump(scope)
      const id = given ?? (yield* newId)
      if (Option.isSome(yield* find(scope, id))) return yield* new BrandExists({ id })
      if (most !== undefined) {
        const full = yield* sql`select 1 from brands where scope = ${scope} offset ${most - 1}::int limit 1`
        if (full.length > 0) return yield* new TooManyBrands({ limit: most })
      }
      const now = yield* Clock.currentTimeMillis
      const row = {
        id,
        name,
        settings: settings ?? {},
        snippets: snippets ?? {},
        version: now,
        created: now,
        updated: now,
        published: now
      }
      yield* sql`insert into brands
          (scope, id, name, settings, snippets, is_default, version, created_at, updated_at, published_at)
        select ${scope}, ${id}, ${name}, ${yield* encodeSettings(row.settings)}, ${yield* encodeSnippets(row.snippets)},
          not exists (select 1 from brands where scope = ${scope}), ${now}, ${now}, ${now}, ${now}`
      return row
    },
    sql.withTransaction,
    orUnavailable
  )

  const replace: Brands["Service"]["replace"] = Effect.fnUntraced(
    function*(scope, id, { name, settings, snippets }) {
      yield* revisions.bump(scope)
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`update brands set name = ${name}, settings = ${yield* encodeSettings(settings ?? {})},
          snippets = ${yield* encodeSnippets(snippets ?? {})}, version = greatest(version + 1, ${now}::bigint),
          updated_at = ${now}, published_at = ${now}
        where scope = ${scope} and id = ${id} returning ${sql.literal(columns)}`.pipe(Effect.flatMap(decode))
      const row = Array.head(rows)
      return Option.isSome(row) ? row.value : yield* new BrandNotFound({ id })
    },
    sql.withTransaction,
    orUnavailable
  )

  /**
   * What forbids deleting a brand. A template that is being written with the brand holds the brand's row until it
   * commits, and so is seen here.
   */
  const usedBy = Effect.fnUntraced(function*(
    scope: Scope,
    id: string,
    templates: ReturnType<typeof ways.tenantTemplates>
  ) {
    const rows = yield* sql`select
        b.is_default and exists (select 1 from brands o where o.scope = b.scope and o.id <> b.id) as "asDefault",
        exists (select 1 from tenants t where t.scope = b.scope and t.brand_id = b.id) as "byTenant",
        exists (select 1 from templates t where t.scope = b.scope and t.draft_brand = b.id and not t.archived)
          or exists (select 1 from templates t where t.scope = b.scope and t.live_brand = b.id and not t.archived)
          as "byTemplate"
      from brands b where b.scope = ${scope} and b.id = ${id}`.pipe(Effect.flatMap(decodeUses))
    const { asDefault, byTemplate, byTenant } = rows[0] ?? { asDefault: false, byTemplate: false, byTenant: false }
    if (byTemplate) return "template"
    if (byTenant) return "tenant"
    const wanted = {
      texts: [`"brand_id":${JSON.stringify(id)}`],
      holds: (way: Ways.Way) => Ways.brandsOf(way).includes(id)
    }
    if ((yield* ways.strategy(scope, wanted)) !== undefined) return "strategy"
    if ((yield* templates(wanted)) !== undefined) return "tenant template"
    return asDefault ? "default" : undefined
  })

  const remove: Brands["Service"]["remove"] = Effect.fnUntraced(
    function*(scope, id) {
      const templates = ways.tenantTemplates(scope)
      const checkUnused = Effect.flatMap(
        usedBy(scope, id, templates),
        (by) => by === undefined ? Effect.void : Effect.fail(new BrandInUse({ id, by }))
      )
      // Once before others' writes have to wait for this one: the templates of all tenants are many.
      yield* get(scope, id)
      yield* checkUnused
      yield* revisions.bump(scope)
      const found = yield* sql`select 1 from brands where scope = ${scope} and id = ${id} for update`
      if (found.length === 0) return yield* new BrandNotFound({ id })
      yield* checkUnused
      yield* sql`delete from brands where scope = ${scope} and id = ${id}`
    },
    sql.withTransaction,
    orUnavailable
  )

  const list: Brands["Service"]["list"] = Effect.fnUntraced(function*(scope, query) {
    return yield* PageBytes.newestFirst(sql, {
      cursors,
      list: { scope, route: "brands", filters: [] },
      query,
      table: "brands",
      columns,
      bytes: "coalesce(octet_length(settings), 0) + coalesce(octet_length(snippets), 0)",
      decode: listed
    })
  }, orUnavailable)

  const rendered = ({ id, name, settings, snippets }: BrandRecord) => ({ id, name, settings, snippets })

  const resolve = revisions.remembering(Effect.fnUntraced(function*(scope: Scope, id: string) {
    return Option.getOrUndefined(Option.map(yield* find(scope, id), rendered))
  }, orUnavailable))

  const fallback = revisions.remembering(Effect.fnUntraced(function*(scope: Scope) {
    const rows = yield* sql`select ${sql.literal(columns)} from brands where scope = ${scope} and is_default`
    return Option.getOrUndefined(Option.map(Array.head(yield* decode(rows)), rendered))
  }, orUnavailable))

  return Brands.of({ create, get, replace, remove, list, resolve, fallback: (scope) => fallback(scope, "") })
})

const decodeUses = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ asDefault: Schema.Boolean, byTemplate: Schema.Boolean, byTenant: Schema.Boolean }))
)

export const layer = Layer.effect(Brands, make)
