import { Database } from "#layers/memory/Database.ts"
import * as NamedBrands from "#layers/memory/NamedBrands.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf } from "#layers/memory/State.ts"
import type { TenantTemplateRow } from "#layers/memory/TenantRows.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { TenantTemplate, type TenantVersion } from "#schemas/TenantTemplate.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as ElementIds from "#src/content/ElementIds.ts"
import * as GoingLive from "#src/content/GoingLive.ts"
import { TenantTemplateNotFound, type TenantTemplateRecord, TenantTemplates } from "#src/content/TenantTemplates.ts"
import { VersionNotFound } from "#src/content/Templates.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { TenantNotFound } from "#src/people/Tenants.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(TenantTemplate))

const keyOf = (scope: Scope, tenantId: string, id: string) => nameOf(scope, JSON.stringify([tenantId, id]))

const record = Effect.fnUntraced(function*(row: TenantTemplateRow, version: TenantVersion) {
  const number = version === "latest" ? row.versions.length : version === "published" ? row.live : version
  const text = number === undefined ? undefined : row.versions[number - 1]
  if (number === undefined || text === undefined) return yield* new VersionNotFound({ id: row.id })
  const template = yield* orUnavailable(decode(text))
  const { created, id, published, updated } = row
  return { id, version: number, template, created, updated, published } satisfies TenantTemplateRecord
})

const bytesOf = ({ versions }: TenantTemplateRow): number => versions.at(-1)?.length ?? 0

/** The templates of tenants in memory. */
export const layer = Layer.effect(
  TenantTemplates,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const rowOf = (scope: Scope, tenantId: string, id: string) =>
      Effect.map(
        read((state) => HashMap.get(state.tenantTemplates, keyOf(scope, tenantId, id))),
        Option.getOrUndefined
      )

    const put = (row: TenantTemplateRow) =>
      update((state) => ({
        ...state,
        tenantTemplates: HashMap.set(state.tenantTemplates, keyOf(row.scope, row.tenantId, row.id), row)
      }))

    const get = Effect.fnUntraced(function*(scope: Scope, tenantId: string, id: string, version: TenantVersion) {
      const row = yield* rowOf(scope, tenantId, id)
      return row === undefined ? yield* new TenantTemplateNotFound({ id }) : yield* record(row, version)
    })

    return TenantTemplates.of({
      put: Effect.fnUntraced(function*(scope, tenantId, id, template, publish) {
        if (!(yield* read((state) => HashMap.has(state.tenants, nameOf(scope, tenantId))))) {
          return yield* new TenantNotFound({ id: tenantId })
        }
        yield* NamedBrands.check({ read }, scope, Ways.brandsOf(template))
        const before = yield* rowOf(scope, tenantId, id)
        const now = yield* Clock.currentTimeMillis
        const text = JSON.stringify({ ...template, content: yield* ElementIds.stored(template.content) })
        const known = before?.versions ?? []
        const versions = known.at(-1) === text ? known : [...known, text]
        if (publish && versions.length !== before?.live) yield* GoingLive.checked(template.content)
        const row: TenantTemplateRow = {
          scope,
          tenantId,
          id,
          versions,
          live: publish ? versions.length : before?.live,
          created: before?.created ?? now,
          updated: now,
          published: publish ? now : before?.published
        }
        yield* put(row)
        const written = yield* Effect.catchTag(record(row, "latest"), "VersionNotFound", Effect.die)
        return { ...written, isMade: before === undefined }
      }, transaction),
      publish: Effect.fnUntraced(function*(scope, tenantId, id, version) {
        const row = yield* rowOf(scope, tenantId, id)
        if (row === undefined) return yield* new TenantTemplateNotFound({ id })
        const found = yield* record(row, version)
        if (row.live === found.version) return { ...found, changed: false }
        yield* NamedBrands.check({ read }, scope, Ways.brandsOf(found.template))
        yield* GoingLive.checked(found.template.content)
        const published = yield* Clock.currentTimeMillis
        yield* put({ ...row, live: found.version, published })
        return { ...found, published, changed: true }
      }, transaction),
      get,
      list: Effect.fnUntraced(function*(scope, tenantId, { cursor, limit }) {
        const list: Cursor.List = { scope, route: "templates of a tenant", filters: [tenantId] }
        const rows = (yield* read((state) => inScope(state.tenantTemplates, scope)))
          .filter((row) => row.tenantId === tenantId)
        const page = yield* Pages.cutById({ cursors, list, rows, idOf: ({ id }) => id, bytesOf, limit, cursor })
        const items = yield* Effect.forEach(page.items, (row) => record(row, "latest")).pipe(
          Effect.catchTag("VersionNotFound", Effect.die)
        )
        return { ...page, items }
      }),
      remove: Effect.fnUntraced(function*(scope, tenantId, id) {
        if ((yield* rowOf(scope, tenantId, id)) === undefined) return yield* new TenantTemplateNotFound({ id })
        yield* update((state) => ({
          ...state,
          tenantTemplates: HashMap.remove(state.tenantTemplates, keyOf(scope, tenantId, id))
        }))
      }, transaction),
      resolve: (scope, tenantId, id, keyState) =>
        get(scope, tenantId, id, keyState === "draft" ? "latest" : "published").pipe(
          Effect.map(({ template }): TenantTemplate | undefined => template),
          Effect.catchTag(["TenantTemplateNotFound", "VersionNotFound"], () => Effect.undefined)
        )
    })
  })
)
