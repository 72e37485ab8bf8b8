import * as NamedBrands from "#layers/postgres/NamedBrands.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Chains from "#layers/postgres/tenants/Chains.ts"
import * as Drops from "#layers/postgres/tenants/Drops.ts"
import * as Rows from "#layers/postgres/tenants/Rows.ts"
import type { Scope } from "#schemas/Scope.ts"
import { mostDefaults, type TenantPreferenceItem } from "#schemas/Tenant.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import { ParentRefused, TenantNotFound, Tenants, TooManyDefaults } from "#src/people/Tenants.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Rows.Row))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const listed = Readable.listed("tenant", Rows.Row)
  const revisions = yield* Revisions.make("tenants")
  const templates = yield* Revisions.make("tenant templates")

  const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
    const rows = yield* sql`select ${sql.literal(Rows.columns)} from tenants t where scope = ${scope} and id = ${id}`
    const row = Array.head(yield* decode(rows))
    return Option.isSome(row) ? Rows.tenant(row.value) : yield* new TenantNotFound({ id })
  })

  /** Fails unless the parent exists and is not below the tenant. The caller holds the lock of the scope's tenants. */
  const checkParent = Effect.fnUntraced(function*(scope: Scope, id: string, parentId: string) {
    const ancestors = yield* sql`with recursive up as (
        select id, parent_id from tenants where scope = ${scope} and id = ${parentId}
        union
        select t.id, t.parent_id from up join tenants t on t.scope = ${scope} and t.id = up.parent_id
      ) select id from up`.pipe(Effect.flatMap(decodeIds))
    if (parentId === id || ancestors.some((ancestor) => ancestor.id === id)) {
      return yield* new ParentRefused({ detail: `A tenant cannot be below itself: ${parentId}` })
    }
    if (ancestors.length === 0) return yield* new ParentRefused({ detail: `Tenant ${parentId} not found` })
  })

  // Absent values are passed as empty text, since the type of an array of only nulls is unknown. If a topic occurs
  // twice, its last item wins.
  const putPreferences = Effect.fnUntraced(
    function*(scope: Scope, id: string, items: ReadonlyArray<TenantPreferenceItem>) {
      const rows = [...new Map(items.map((item) => [item.id, item])).values()]
      if (rows.length === 0) return
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into tenant_default_preferences
          (scope, tenant_id, topic_id, status, has_custom_routing, custom_routing, created_at, updated_at)
        select ${scope}, ${id}, x.topic_id, x.status, nullif(x.has, '')::boolean, nullif(x.routing, ''), ${now}, ${now}
        from unnest(${rows.map((row) => row.id)}::text[], ${rows.map(({ status }) => status)}::text[],
          ${rows.map((row) => String(row.has_custom_routing ?? ""))}::text[],
          ${rows.map((row) => row.custom_routing ? JSON.stringify(row.custom_routing) : "")}::text[])
          as x(topic_id, status, has, routing)
        on conflict (scope, tenant_id, topic_id) do update set status = excluded.status,
          has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing,
          updated_at = excluded.updated_at`
    }
  )

  // Every write bumps the revision first: its row is the lock that serialises the writes of a scope's tenants.
  const replace: Tenants["Service"]["replace"] = Effect.fnUntraced(
    function*(scope, id, draft) {
      yield* revisions.bump(scope)
      const generation = yield* Drops.generation(sql, scope, id)
      const parentId = draft.parent_tenant_id ?? null
      if (parentId !== null) yield* checkParent(scope, id, parentId)
      yield* NamedBrands.check(sql, scope, draft.brand_id && !draft.brand ? [draft.brand_id] : [])
      const now = yield* Clock.currentTimeMillis
      const brand = draft.brand ? yield* Rows.encodeBrand(draft.brand) : null
      const properties = draft.properties ? yield* Rows.encodeMap(draft.properties) : null
      const profile = draft.user_profile ? yield* Rows.encodeMap(draft.user_profile) : null
      yield* sql`insert into tenants
          (scope, id, name, parent_id, brand_id, brand, properties, user_profile, generation, created_at, updated_at)
        values (${scope}, ${id}, ${draft.name}, ${parentId}, ${
        draft.brand_id ?? null
      }, ${brand}, ${properties}, ${profile},
          ${generation}::bigint, ${now}, ${now})
        on conflict (scope, id) do update set name = excluded.name, parent_id = excluded.parent_id,
          brand_id = excluded.brand_id, brand = excluded.brand, properties = excluded.properties,
          user_profile = excluded.user_profile, updated_at = excluded.updated_at`
      yield* sql`delete from tenant_default_preferences where scope = ${scope} and tenant_id = ${id}`
      yield* putPreferences(scope, id, draft.default_preferences?.items ?? [])
      return yield* Effect.catchTag(find(scope, id), "TenantNotFound", Effect.die)
    },
    sql.withTransaction,
    orUnavailable
  )

  // Adding a member or a template locks the tenant's row, so nothing is added to a deleted tenant. What it had, which may
  // be very much, is deleted later (`Drops`); until then readers ask whether the tenant exists.
  const remove: Tenants["Service"]["remove"] = Effect.fnUntraced(
    function*(scope, id) {
      yield* revisions.bump(scope)
      yield* templates.bump(scope)
      const gone = yield* sql`with gone as (
          delete from tenants where scope = ${scope} and id = ${id} returning generation)
        insert into tenant_drops (scope, tenant_id, generation) select ${scope}::int, ${id}, generation + 1 from gone
        on conflict (scope, tenant_id) do update set generation = excluded.generation returning 1`
      if (gone.length === 0) return false
      yield* sql`delete from tenant_default_preferences where scope = ${scope} and tenant_id = ${id}`
      yield* sql`select pg_notify('tidings_audiences', '')`
      return true
    },
    sql.withTransaction,
    orUnavailable
  )

  const list: Tenants["Service"]["list"] = Effect.fnUntraced(function*(scope, { cursor, limit, parentId }) {
    const sealed: Cursor.List = { scope, route: "tenants", filters: [parentId ?? null] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const below = parentId === undefined
      ? sql``
      : sql`and parent_id = ${parentId} and exists (select from tenants p where p.scope = ${scope} and p.id = ${parentId})`
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "t",
      columns: sql.literal(Rows.columns),
      looked: sql`select t.*, ${sql.literal(Rows.bytes)} as bytes from tenants t where scope = ${scope} ${below}
        ${after === undefined ? sql`` : sql`and id > ${after}`}`,
      by: { id: "id" },
      limit,
      decode: listed
    })
    return Pages.upTo(cursors, sealed, rows.map(Rows.tenant), end)
  }, orUnavailable)

  const setPreference: Tenants["Service"]["setPreference"] = Effect.fnUntraced(
    function*(scope, id, topicId, setting) {
      yield* revisions.bump(scope)
      const found = yield* sql`select 1 from tenants where scope = ${scope} and id = ${id}`
      if (found.length === 0) return yield* new TenantNotFound({ id })
      const others = yield* sql`select 1 from tenant_default_preferences
        where scope = ${scope} and tenant_id = ${id} and topic_id <> ${topicId} offset ${mostDefaults - 1}::int limit 1`
      if (others.length > 0) return yield* new TooManyDefaults()
      yield* putPreferences(scope, id, [{ ...setting, id: topicId }])
    },
    sql.withTransaction,
    orUnavailable
  )

  const removePreference = Effect.fnUntraced(
    function*(scope: Scope, id: string, topicId: string) {
      yield* revisions.bump(scope)
      const gone = yield* sql`delete from tenant_default_preferences
        where scope = ${scope} and tenant_id = ${id} and topic_id = ${topicId} returning 1`
      return gone.length > 0
    },
    sql.withTransaction,
    orUnavailable
  )

  const some = revisions.remembering((scope) =>
    sql`select 1 from tenants where scope = ${scope} limit 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      orUnavailable
    )
  )

  return Tenants.of({
    replace,
    get: (scope, id) => orUnavailable(find(scope, id)),
    list,
    remove,
    setPreference,
    removePreference,
    chain: revisions.remembering(yield* Chains.make),
    some: (scope) => some(scope, "")
  })
})

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

export const layer = Layer.effect(Tenants, make)
