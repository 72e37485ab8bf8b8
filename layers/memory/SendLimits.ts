import { Database } from "#layers/memory/Database.ts"
import type { LimitRow } from "#layers/memory/LimitRows.ts"
import { nameOf, type State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SendLimit } from "#schemas/SendLimit.ts"
import * as Text from "#schemas/Text.ts"
import { type LimitName, SendLimitNotFound, SendLimits } from "#src/flows/SendLimits.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(SendLimit))

const rowName = (scope: Scope, { per, period }: LimitName): string => nameOf(scope, `${per} ${period}`)

const record = Effect.fnUntraced(function*(row: LimitRow) {
  return { ...row, said: yield* decode(row.said) }
}, orUnavailable)

const withLimits = (state: State, limits: State["limits"]["limits"]): State => ({
  ...state,
  limits: { ...state.limits, limits }
})

/** The rows of an environment, in the order of their names. */
const rowsIn = ({ limits: { limits } }: State, scope: Scope): ReadonlyArray<LimitRow> =>
  Array.from(limits).filter(([name]) => name.startsWith(nameOf(scope, "")))
    .toSorted(([a], [b]) => Text.compare(a, b)).map(([, row]) => row)

/** The send limits in memory. */
export const layer = Layer.effect(
  SendLimits,
  Effect.gen(function*() {
    const { modify, read } = yield* Database

    const list = Effect.fnUntraced(function*(scope: Scope) {
      const rows = yield* read((state) => rowsIn(state, scope))
      return yield* Effect.forEach(rows, record)
    })

    return SendLimits.of({
      put: Effect.fnUntraced(function*(scope, name, said) {
        const now = yield* Clock.currentTimeMillis
        return yield* modify((state) => {
          const { limits } = state.limits
          const before = Option.getOrUndefined(HashMap.get(limits, rowName(scope, name)))
          const times = { created: before?.created ?? now, updated: before === undefined ? undefined : now }
          const row = { per: name.per, period: name.period, ...times }
          const stored = { ...row, said: JSON.stringify(said) }
          return [{ ...row, said }, withLimits(state, HashMap.set(limits, rowName(scope, name), stored))]
        })
      }),
      get: Effect.fnUntraced(function*(scope, name) {
        const row = yield* read(({ limits: { limits } }) => HashMap.get(limits, rowName(scope, name)))
        return Option.isSome(row) ? yield* record(row.value) : yield* new SendLimitNotFound(name)
      }),
      remove: Effect.fnUntraced(function*(scope, name) {
        const wasThere = yield* modify((state) => {
          const { limits } = state.limits
          return HashMap.has(limits, rowName(scope, name))
            ? [true, withLimits(state, HashMap.remove(limits, rowName(scope, name)))]
            : [false, state]
        })
        if (!wasThere) return yield* new SendLimitNotFound(name)
      }),
      list,
      installed: list
    })
  })
)
