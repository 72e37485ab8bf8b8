import * as NamedBrands from "#layers/postgres/NamedBrands.ts"
import * as PageBytes from "#layers/postgres/statements/PageBytes.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import * as Readable from "#layers/postgres/statements/Readable.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Drops from "#layers/postgres/tenants/Drops.ts"
import type { Scope } from "#schemas/Scope.ts"
import { TenantTemplate, type TenantVersion } from "#schemas/TenantTemplate.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as ElementIds from "#src/content/ElementIds.ts"
import * as GoingLive from "#src/content/GoingLive.ts"
import { TenantTemplateNotFound, type TenantTemplateRecord, TenantTemplates } from "#src/content/TenantTemplates.ts"
import { VersionNotFound } from "#src/content/Templates.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as Pages from "#src/paging/Pages.ts"
import { TenantNotFound } from "#src/people/Tenants.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"

const text = Schema.fromJsonString(TenantTemplate)
const encode = Schema.encodeEffect(text)

const Row = Schema.Struct({
  id: Schema.String,
  version: Schema.Number,
  template: text,
  created: Schema.Number,
  updated: Schema.Number,
  published: Schema.NullOr(Schema.Number)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeHeads = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ latest: Schema.Number, live: Schema.NullOr(Schema.Number), template: Schema.String }))
)
const decodeName = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String, Schema.String]))
)

const missing = ["TenantTemplateNotFound", "VersionNotFound"] as const

const columns = `t.template_id as id, v.version::float8 as version, v.template,
  octet_length(v.template) as bytes, t.created_at::float8 as created,
  t.updated_at::float8 as updated, t.published_at::float8 as published`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cursors = Cursor.make(yield* SecretKey)
  const revisions = yield* Revisions.make("tenant templates")

  const listed = Readable.listed("template of a tenant", Row)

  const isThere = Drops.isThere(sql, "t")

  /** The templates of a tenant, each in the version that the expression `number` names. */
  const select = (scope: Scope, tenantId: string, number: Statement.Fragment) =>
    sql`select ${sql.literal(columns)} from tenant_templates t
      join tenant_template_versions v on v.scope = t.scope and v.tenant_id = t.tenant_id
        and v.template_id = t.template_id and v.version = ${number}
      where t.scope = ${scope} and t.tenant_id = ${tenantId} and ${isThere}`

  const numberOf = (version: TenantVersion) =>
    typeof version === "number" ? sql`${version}::bigint` : version === "latest" ? sql`t.latest` : sql`t.live`

  const find = Effect.fnUntraced(function*(scope: Scope, tenantId: string, id: string, version: TenantVersion) {
    const rows = yield* sql`${select(scope, tenantId, numberOf(version))} and t.template_id = ${id}`
    const row = Array.head(yield* decode(rows))
    if (Option.isSome(row)) {
      return { ...row.value, published: row.value.published ?? undefined } satisfies TenantTemplateRecord
    }
    const versions = yield* sql`select 1 from tenant_templates t
      where scope = ${scope} and tenant_id = ${tenantId} and template_id = ${id} and ${isThere}`
    return yield* versions.length === 0 ? new TenantTemplateNotFound({ id }) : new VersionNotFound({ id })
  })

  /** The latest and the live version of a template, and the latest's text; its row is locked until the change commits. */
  const head = Effect.fnUntraced(function*(scope: Scope, tenantId: string, id: string) {
    const rows = yield* sql`select t.latest::float8 as latest, t.live::float8 as live, v.template
      from tenant_templates t join tenant_template_versions v on v.scope = t.scope and v.tenant_id = t.tenant_id
        and v.template_id = t.template_id and v.version = t.latest
      where t.scope = ${scope} and t.tenant_id = ${tenantId} and t.template_id = ${id} for update of t`
    return Option.getOrUndefined(Array.head(yield* decodeHeads(rows)))
  })

  const goLive = (scope: Scope, tenantId: string, id: string, version: number, now: number) =>
    sql`update tenant_templates set live = ${version}::bigint, published_at = ${now}
      where scope = ${scope} and tenant_id = ${tenantId} and template_id = ${id}`

  // Every write bumps the revision first: its row is the lock that serialises the writes of a scope's tenant templates.
  const put: TenantTemplates["Service"]["put"] = Effect.fnUntraced(
    function*(scope, tenantId, id, template, publish) {
      yield* revisions.bump(scope)
      const tenant = yield* sql`select 1 from tenants where scope = ${scope} and id = ${tenantId} for key share`
      if (tenant.length === 0) return yield* new TenantNotFound({ id: tenantId })
      yield* NamedBrands.check(sql, scope, Ways.brandsOf(template))
      const now = yield* Clock.currentTimeMillis
      const before = yield* head(scope, tenantId, id)
      const stored = yield* encode({ ...template, content: yield* ElementIds.stored(template.content) })
      const isNew = before?.template !== stored
      const version = isNew ? (before?.latest ?? 0) + 1 : before.latest
      if (publish && version !== before?.live) yield* GoingLive.checked(template.content)
      yield* sql`insert into tenant_templates (scope, tenant_id, template_id, latest, created_at, updated_at)
        values (${scope}, ${tenantId}, ${id}, ${version}::bigint, ${now}, ${now})
        on conflict (scope, tenant_id, template_id) do update set latest = excluded.latest, updated_at = excluded.updated_at`
      if (isNew) {
        yield* sql`insert into tenant_template_versions (scope, tenant_id, template_id, version, template, created_at)
          values (${scope}, ${tenantId}, ${id}, ${version}::bigint, ${stored}, ${now})`
      }
      if (publish) yield* goLive(scope, tenantId, id, version, now)
      const written = yield* Effect.catchTag(find(scope, tenantId, id, version), missing, Effect.die)
      return { ...written, isMade: before === undefined }
    },
    sql.withTransaction,
    orUnavailable
  )

  const publish: TenantTemplates["Service"]["publish"] = Effect.fnUntraced(
    function*(scope, tenantId, id, version) {
      yield* revisions.bump(scope)
      const found = yield* find(scope, tenantId, id, version)
      const changed = (yield* head(scope, tenantId, id))?.live !== found.version
      if (changed) {
        yield* NamedBrands.check(sql, scope, Ways.brandsOf(found.template))
        yield* GoingLive.checked(found.template.content)
        yield* goLive(scope, tenantId, id, found.version, yield* Clock.currentTimeMillis)
      }
      return { ...yield* find(scope, tenantId, id, found.version), changed }
    },
    sql.withTransaction,
    orUnavailable
  )

  const remove: TenantTemplates["Service"]["remove"] = Effect.fnUntraced(
    function*(scope, tenantId, id) {
      yield* revisions.bump(scope)
      const gone = yield* sql`delete from tenant_templates t
        where scope = ${scope} and tenant_id = ${tenantId} and template_id = ${id} and ${isThere} returning 1`
      if (gone.length === 0) return yield* new TenantTemplateNotFound({ id })
      yield* sql`delete from tenant_template_versions
        where scope = ${scope} and tenant_id = ${tenantId} and template_id = ${id}`
    },
    sql.withTransaction,
    orUnavailable
  )

  const list: TenantTemplates["Service"]["list"] = Effect.fnUntraced(function*(scope, tenantId, { cursor, limit }) {
    const sealed: Cursor.List = { scope, route: "templates of a tenant", filters: [tenantId] }
    const after = yield* IdPages.after(cursors, sealed, cursor)
    const { end, rows } = yield* PageBytes.read(sql, {
      as: "t",
      columns: sql`t.*`,
      looked: sql`${select(scope, tenantId, numberOf("latest"))}
        ${after === undefined ? sql`` : sql`and t.template_id > ${after}`}`,
      by: { id: "id" },
      limit,
      decode: listed
    })
    const records = rows.map((row) => ({ ...row, published: row.published ?? undefined }))
    return Pages.upTo(cursors, sealed, records, end)
  }, orUnavailable)

  const remembered = revisions.remembering(Effect.fnUntraced(function*(scope: Scope, name: string) {
    const [tenantId, id, version] = yield* decodeName(name)
    return yield* find(scope, tenantId, id, version === "latest" ? "latest" : "published").pipe(
      Effect.map(({ template }): TenantTemplate | undefined => template),
      Effect.catchTag(missing, () => Effect.undefined)
    )
  }, orUnavailable))

  return TenantTemplates.of({
    put,
    publish,
    get: (scope, tenantId, id, version) => orUnavailable(find(scope, tenantId, id, version)),
    list,
    remove,
    resolve: (scope, tenantId, id, keyState) =>
      remembered(scope, JSON.stringify([tenantId, id, keyState === "draft" ? "latest" : "published"]))
  })
})

export const layer = Layer.effect(TenantTemplates, make)
