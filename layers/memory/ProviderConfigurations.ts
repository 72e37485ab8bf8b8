import { Database } from "#layers/memory/Database.ts"
import * as Rename from "#layers/memory/journal/Rename.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { type ConfigurationRow, inScope, nameOf, type State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import * as Ways from "#layers/memory/Ways.ts"
import { JsonMap } from "#schemas/Optional.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Sealed from "#src/access/Sealed.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import {
  type Configuration,
  ConfigurationAliasTaken,
  type ConfigurationDraft,
  ConfigurationInUse,
  ConfigurationNotFound,
  ProviderConfigurations
} from "#src/delivery/providers/ProviderConfigurations.ts"
import { renamings } from "#src/delivery/providers/ProviderNames.ts"
import { needs, type Way } from "#src/delivery/providers/Ways.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Clock, Effect, HashMap, Layer, Option, Redacted, Schema } from "effect"

const decodeSettings = Schema.decodeEffect(Schema.fromJsonString(JsonMap))

/** All of an environment, the oldest first. */
const oldestFirst = (state: State, scope: Scope): ReadonlyArray<ConfigurationRow> =>
  inScope(state.configurations, scope).toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))

/** A change after which others may be called otherwise: what waits finds its attempts under the new names. */
const renaming = (before: State, scope: Scope, configurations: State["configurations"]): State => {
  const after = { ...before, configurations }
  return Rename.attempts(after, scope, renamings(oldestFirst(before, scope), oldestFirst(after, scope)))
}

/** The provider configurations in memory, their settings sealed too. */
export const layer = Layer.effect(
  ProviderConfigurations,
  Effect.gen(function*() {
    const { modify, read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const newId = yield* TypeId.generator("pc")
    const seal = yield* Sealed.make("provider settings")
    const remembered = new Map<Scope, {
      readonly rows: ReadonlyArray<ConfigurationRow>
      readonly all: ReadonlyArray<Configuration>
    }>()

    const opened = Effect.fnUntraced(function*({ scope, settings, ...row }: ConfigurationRow) {
      if (settings === undefined) return { ...row, settings }
      const text = yield* seal.open(nameOf(scope, row.id), settings)
      return { ...row, settings: Redacted.make(yield* decodeSettings(Redacted.value(text))) }
    }, orUnavailable)

    const put = Effect.fnUntraced(function*(
      scope: Scope,
      { alias, provider, settings, title }: ConfigurationDraft,
      times: Pick<Configuration, "id" | "created" | "updated">
    ) {
      const name = nameOf(scope, times.id)
      const sealed = settings === undefined
        ? undefined
        : yield* seal.seal(name, Redacted.make(JSON.stringify(Redacted.value(settings))))
      const taken = yield* modify((state) => {
        const other = inScope(state.configurations, scope).some((row) =>
          row.id !== times.id && alias !== undefined && row.alias === alias
        )
        if (other) return [true, state]
        const row: ConfigurationRow = { scope, provider, title, alias, settings: sealed, ...times }
        return [false, {
          ...renaming(state, scope, HashMap.set(state.configurations, name, row)),
          configured: HashMap.set(state.configured, scope, true)
        }]
      })
      if (taken) return yield* new ConfigurationAliasTaken({ alias: alias ?? "" })
      return { provider, title, alias, settings, ...times }
    })

    const create = Effect.fnUntraced(function*(scope: Scope, draft: ConfigurationDraft) {
      const others = yield* read((state) => inScope(state.configurations, scope))
      const created = Math.max(yield* Clock.currentTimeMillis, ...others.map((row) => row.created + 1))
      return yield* put(scope, draft, { id: yield* newId, created, updated: undefined })
    }, transaction)

    const get = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => HashMap.get(state.configurations, nameOf(scope, id)))
      return Option.isSome(row) ? yield* opened(row.value) : yield* new ConfigurationNotFound({ id })
    })

    const remove: ProviderConfigurations["Service"]["remove"] = Effect.fnUntraced(function*(scope, id) {
      const stored = yield* get(scope, id)
      const state = yield* read((state) => state)
      const others = inScope(state.configurations, scope).filter((row) => row.id !== id)
      const isUser = ({ way }: { readonly way: Way }) => needs(way, stored, others)
      const strategy = (yield* Ways.strategies(state, scope)).find(isUser)
      if (strategy !== undefined) return yield* new ConfigurationInUse({ id, by: `routing strategy ${strategy.id}` })
      const template = (yield* Ways.tenantTemplates(state, scope)).find(isUser)
      if (template !== undefined) {
        return yield* new ConfigurationInUse({ id, by: `template ${template.id} of tenant ${template.tenantId}` })
      }
      yield* update((state) => renaming(state, scope, HashMap.remove(state.configurations, nameOf(scope, id))))
    }, transaction)

    const installed = Effect.fnUntraced(function*(scope: Scope) {
      const rows = yield* read((state) => oldestFirst(state, scope))
      const known = remembered.get(scope)
      const isSame = known?.rows.length === rows.length && rows.every((row, n) => row === known.rows[n])
      if (known !== undefined && isSame) return known.all
      const all = yield* Effect.forEach(rows, opened)
      remembered.set(scope, { rows, all })
      return all
    })

    return ProviderConfigurations.of({
      create,
      first: Effect.fnUntraced(function*(scope, drafts) {
        if (yield* read((state) => HashMap.has(state.configured, scope))) return false
        yield* Effect.forEach(drafts, (draft) => create(scope, draft))
        yield* update((state) => ({ ...state, configured: HashMap.set(state.configured, scope, true) }))
        return true
      }, transaction),
      get,
      replace: (scope, id, change) =>
        Effect.gen(function*() {
          const stored = yield* get(scope, id)
          const updated = yield* Clock.currentTimeMillis
          return yield* put(scope, yield* change(stored), { id, created: stored.created, updated })
        }).pipe(transaction),
      remove,
      list: Effect.fnUntraced(function*(scope, { cursor, limit }) {
        const page = yield* Pages.cut({
          cursors,
          list: { scope, route: "providers", filters: [] },
          rows: yield* read((state) => inScope(state.configurations, scope)),
          position: (row) => ({ at: row.created, id: row.id }),
          bytesOf: ({ settings = "" }) => settings.length,
          limit,
          cursor
        })
        return { ...page, items: yield* Effect.forEach(page.items, opened) }
      }),
      installed
    })
  })
)
