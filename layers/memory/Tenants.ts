import { Database } from "#layers/memory/Database.ts"
import * as NamedBrands from "#layers/memory/NamedBrands.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import type { TenantRow } from "#layers/memory/TenantRows.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import type { TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import { chainLength, mostDefaults, type Tenant, TenantDraft, TenantPreferenceItem } from "#schemas/Tenant.ts"
import * as Text from "#schemas/Text.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { ParentRefused, TenantNotFound, Tenants, TooManyDefaults } from "#src/people/Tenants.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(TenantDraft))
const decodeItem = Schema.decodeEffect(Schema.fromJsonString(TenantPreferenceItem))

const byId = (a: { readonly id: string }, b: { readonly id: string }) => Text.compare(a.id, b.id)

const tenant = Effect.fnUntraced(function*(row: TenantRow) {
  const draft = yield* decode(row.draft)
  return {
    id: row.id,
    name: draft.name,
    parentId: row.parentId,
    brandId: row.brandId,
    brand: draft.brand ?? undefined,
    properties: draft.properties ?? undefined,
    userProfile: draft.user_profile ?? undefined,
    preferences: (yield* Effect.forEach([...row.preferences.values()], (text) => decodeItem(text))).toSorted(byId)
  } satisfies Tenant
}, orUnavailable)

/** What is not given is left out, as SQL leaves it out. */
const item = (id: string, { custom_routing, has_custom_routing, status }: TopicSetting): string =>
  JSON.stringify({
    id,
    status,
    ...(has_custom_routing === undefined || has_custom_routing === null ? {} : { has_custom_routing }),
    ...(custom_routing === undefined || custom_routing === null ? {} : { custom_routing })
  })

const bytesOf = ({ draft, preferences }: TenantRow): number =>
  [draft, ...preferences.values()].reduce((sum, text) => sum + text.length, 0)

const rowOf = (state: State, scope: Scope, id: string | undefined): TenantRow | undefined =>
  id === undefined ? undefined : Option.getOrUndefined(HashMap.get(state.tenants, nameOf(scope, id)))

const ancestors = (state: State, scope: Scope, id: string | undefined): ReadonlyArray<TenantRow> => {
  const row = rowOf(state, scope, id)
  return row === undefined ? [] : [row, ...ancestors(state, scope, row.parentId)]
}

const put = (state: State, row: TenantRow): State => ({
  ...state,
  tenants: HashMap.set(state.tenants, nameOf(row.scope, row.id), row)
})

/** The state without a tenant. */
const without = (state: State, scope: Scope, id: string): State => {
  const isOther = (row: { readonly scope: Scope; readonly tenantId: string }) =>
    row.scope !== scope || row.tenantId !== id
  return {
    ...state,
    tenants: HashMap.map(
      HashMap.remove(state.tenants, nameOf(scope, id)),
      (row) => row.scope === scope && row.parentId === id ? { ...row, parentId: undefined } : row
    ),
    tenantUsers: HashMap.filter(state.tenantUsers, isOther),
    tenantTemplates: HashMap.filter(state.tenantTemplates, isOther)
  }
}

/** The tenants in memory. */
export const layer = Layer.effect(
  Tenants,
  Effect.gen(function*() {
    const { modify, read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
      return (yield* read((state) => rowOf(state, scope, id))) ?? (yield* new TenantNotFound({ id }))
    })

    const checkParent = Effect.fnUntraced(function*(scope: Scope, id: string, parentId: string) {
      const above = yield* read((state) => ancestors(state, scope, parentId))
      if (parentId === id || above.some((row) => row.id === id)) {
        return yield* new ParentRefused({ detail: `A tenant cannot be below itself: ${parentId}` })
      }
      if (above.length === 0) return yield* new ParentRefused({ detail: `Tenant ${parentId} not found` })
    })

    return Tenants.of({
      replace: Effect.fnUntraced(function*(scope, id, { default_preferences: preferences, ...draft }) {
        const parentId = draft.parent_tenant_id ?? undefined
        if (parentId !== undefined) yield* checkParent(scope, id, parentId)
        const brandId = draft.brand_id ?? undefined
        yield* NamedBrands.check({ read }, scope, brandId !== undefined && !draft.brand ? [brandId] : [])
        const before = yield* read((state) => rowOf(state, scope, id))
        const updated = yield* Clock.currentTimeMillis
        const row: TenantRow = {
          scope,
          id,
          parentId,
          brandId,
          draft: JSON.stringify(draft),
          preferences: new Map((preferences?.items ?? []).map((one) => [one.id, item(one.id, one)])),
          created: before?.created ?? updated,
          updated
        }
        yield* update((state) => put(state, row))
        return yield* tenant(row)
      }, transaction),
      get: Effect.fnUntraced(function*(scope, id) {
        return yield* tenant(yield* find(scope, id))
      }),
      list: Effect.fnUntraced(function*(scope, { cursor, limit, parentId }) {
        const list: Cursor.List = { scope, route: "tenants", filters: [parentId ?? null] }
        const rows = (yield* read((state) => inScope(state.tenants, scope)))
          .filter((row) => parentId === undefined || row.parentId === parentId)
        const page = yield* Pages.cutById({ cursors, list, rows, idOf: ({ id }) => id, bytesOf, limit, cursor })
        return { ...page, items: yield* Effect.forEach(page.items, tenant) }
      }),
      remove: (scope, id) => modify((state) => [rowOf(state, scope, id) !== undefined, without(state, scope, id)]),
      setPreference: Effect.fnUntraced(function*(scope, id, topicId, setting) {
        const row = yield* find(scope, id)
        const preferences = new Map(row.preferences).set(topicId, item(topicId, setting))
        if (preferences.size > mostDefaults) return yield* new TooManyDefaults()
        yield* update((state) => put(state, { ...row, preferences }))
      }, transaction),
      removePreference: (scope, id, topicId) =>
        modify((state) => {
          const row = rowOf(state, scope, id)
          if (row === undefined) return [false, state]
          const preferences = new Map(row.preferences)
          const gone = preferences.delete(topicId)
          return [gone, put(state, { ...row, preferences })]
        }),
      chain: Effect.fnUntraced(function*(scope, id) {
        const rows = yield* read((state) => ancestors(state, scope, id))
        return yield* Effect.forEach(rows.slice(0, chainLength), tenant)
      }),
      some: (scope) => read((state) => inScope(state.tenants, scope).length > 0)
    })
  })
)
