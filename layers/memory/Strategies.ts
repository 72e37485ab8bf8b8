import { Database } from "#layers/memory/Database.ts"
import * as NamedBrands from "#layers/memory/NamedBrands.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type StrategyRow } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { templates } from "#layers/memory/Ways.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Ways from "#src/delivery/providers/Ways.ts"
import { Strategies, StrategyInUse, StrategyNotFound } from "#src/delivery/providers/Strategies.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(RoutingStrategy))

const record = Effect.fnUntraced(function*({ scope: _, strategy, ...row }: StrategyRow) {
  return { ...row, strategy: yield* decode(strategy) }
}, orUnavailable)

/** The routing strategies in memory. */
export const layer = Layer.effect(
  Strategies,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const newId = yield* TypeId.generator("rs")

    const put = (row: StrategyRow) =>
      update((state) => ({ ...state, strategies: HashMap.set(state.strategies, nameOf(row.scope, row.id), row) }))

    const find = Effect.fnUntraced(function*(scope: Scope, id: string) {
      const row = yield* read((state) => HashMap.get(state.strategies, nameOf(scope, id)))
      return Option.isSome(row) ? row.value : yield* new StrategyNotFound({ id })
    })

    const get = Effect.fnUntraced(function*(scope: Scope, id: string) {
      return yield* record(yield* find(scope, id))
    })

    const archive: Strategies["Service"]["archive"] = Effect.fnUntraced(function*(scope, id) {
      yield* find(scope, id)
      const all = yield* Effect.flatten(read((state) => templates(state, scope)))
      if (all.some(({ template }) => template.routing?.strategy_id === id)) return yield* new StrategyInUse({ id })
      yield* update((state) => ({ ...state, strategies: HashMap.remove(state.strategies, nameOf(scope, id)) }))
    }, transaction)

    return Strategies.of({
      create: Effect.fnUntraced(function*(scope, strategy) {
        yield* NamedBrands.check({ read }, scope, Ways.brandsOf(strategy))
        const row = { id: yield* newId, created: yield* Clock.currentTimeMillis, updated: undefined }
        yield* put({ ...row, scope, strategy: JSON.stringify(strategy) })
        return { ...row, strategy }
      }, transaction),
      get,
      replace: Effect.fnUntraced(function*(scope, id, strategy) {
        const { created } = yield* find(scope, id)
        yield* NamedBrands.check({ read }, scope, Ways.brandsOf(strategy))
        const row = { id, created, updated: yield* Clock.currentTimeMillis }
        yield* put({ ...row, scope, strategy: JSON.stringify(strategy) })
        return { ...row, strategy }
      }, transaction),
      archive,
      list: Effect.fnUntraced(function*(scope, { cursor, limit }) {
        const page = yield* Pages.cut({
          cursors,
          list: { scope, route: "routing strategies", filters: [] },
          rows: yield* read((state) => inScope(state.strategies, scope)),
          position: (row) => ({ at: row.created, id: row.id }),
          bytesOf: ({ strategy }) => strategy.length,
          limit,
          cursor
        })
        return { ...page, items: yield* Effect.forEach(page.items, record) }
      }),
      resolve: (scope, id) => Effect.map(get(scope, id), ({ strategy }) => strategy)
    })
  })
)
