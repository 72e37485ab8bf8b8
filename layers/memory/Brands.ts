import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf } from "#layers/memory/State.ts"
import type { BrandRow } from "#layers/memory/TenantRows.ts"
import * as Ways from "#layers/memory/Ways.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
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
import { brandsOf, type Way } from "#src/delivery/providers/Ways.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decodeSettings = Schema.decodeEffect(Schema.fromJsonString(BrandSettings))
const decodeSnippets = Schema.decodeEffect(Schema.fromJsonString(BrandSnippets))

const record = Effect.fnUntraced(function*({ isDefault: _1, scope: _2, settings, snippets, ...row }: BrandRow) {
  return { ...row, settings: yield* decodeSettings(settings), snippets: yield* decodeSnippets(snippets) }
}, orUnavailable)

const rendered = ({ id, name, settings, snippets }: BrandRecord) => ({ id, name, settings, snippets })

/** The brands in memory. */
export const layer = Layer.effect(
  Brands,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const most = yield* BrandLimit
    const newId = yield* TypeId.generator("bnd")

    const put = (row: BrandRow) =>
      update((state) => ({ ...state, brands: HashMap.set(state.brands, nameOf(row.scope, row.id), row) }))

    const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => HashMap.get(state.brands, nameOf(scope, id)))
      return Option.isSome(row) ? row.value : yield* new BrandNotFound({ id })
    })

    const usedBy = Effect.fnUntraced(function*({ id, isDefault, scope }: BrandRow) {
      const state = yield* read((state) => state)
      if ((yield* Ways.templates(state, scope)).some(({ template }) => template.brand?.id === id)) return "template"
      if (inScope(state.tenants, scope).some((tenant) => tenant.brandId === id)) return "tenant"
      const isUser = ({ way }: { readonly way: Way }) => brandsOf(way).includes(id)
      if ((yield* Ways.strategies(state, scope)).some(isUser)) return "strategy"
      if ((yield* Ways.tenantTemplates(state, scope)).some(isUser)) return "tenant template"
      return isDefault && inScope(state.brands, scope).length > 1 ? "default" : undefined
    })

    return Brands.of({
      create: Effect.fnUntraced(function*(scope, given, { name, settings, snippets }) {
        const id = given ?? (yield* newId)
        const all = yield* read((state) => inScope(state.brands, scope))
        if (all.some((row) => row.id === id)) return yield* new BrandExists({ id })
        if (most !== undefined && all.length >= most) return yield* new TooManyBrands({ limit: most })
        const now = yield* Clock.currentTimeMillis
        const row: BrandRow = {
          scope,
          id,
          name,
          settings: JSON.stringify(settings ?? {}),
          snippets: JSON.stringify(snippets ?? {}),
          isDefault: all.length === 0,
          version: now,
          created: now,
          updated: now,
          published: now
        }
        yield* put(row)
        return yield* record(row)
      }, transaction),
      get: Effect.fnUntraced(function*(scope, id) {
        return yield* record(yield* find(scope, id))
      }),
      replace: Effect.fnUntraced(function*(scope, id, { name, settings, snippets }) {
        const before = yield* find(scope, id)
        const now = yield* Clock.currentTimeMillis
        const row: BrandRow = {
          ...before,
          name,
          settings: JSON.stringify(settings ?? {}),
          snippets: JSON.stringify(snippets ?? {}),
          version: Math.max(before.version + 1, now),
          updated: now,
          published: now
        }
        yield* put(row)
        return yield* record(row)
      }, transaction),
      remove: Effect.fnUntraced(function*(scope, id) {
        const by = yield* usedBy(yield* find(scope, id))
        if (by !== undefined) return yield* new BrandInUse({ id, by })
        yield* update((state) => ({ ...state, brands: HashMap.remove(state.brands, nameOf(scope, id)) }))
      }, transaction),
      list: Effect.fnUntraced(function*(scope, { cursor, limit }) {
        const page = yield* Pages.cut({
          cursors,
          list: { scope, route: "brands", filters: [] },
          rows: yield* read((state) => inScope(state.brands, scope)),
          position: (row) => ({ at: row.created, id: row.id }),
          bytesOf: ({ settings, snippets }) => settings.length + snippets.length,
          limit,
          cursor
        })
        return { ...page, items: yield* Effect.forEach(page.items, record) }
      }),
      resolve: Effect.fnUntraced(function*(scope, id) {
        const row = Option.getOrUndefined(yield* read((state) => HashMap.get(state.brands, nameOf(scope, id))))
        return row === undefined ? undefined : rendered(yield* record(row))
      }),
      fallback: Effect.fnUntraced(function*(scope) {
        const row = (yield* read((state) => inScope(state.brands, scope))).find((brand) => brand.isDefault)
        return row === undefined ? undefined : rendered(yield* record(row))
      })
    })
  })
)
