import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf, type State, type SuppressionRow } from "#layers/memory/State.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import {
  type Address,
  freeCounts,
  replaces,
  type Suppression,
  SuppressionNotFound,
  Suppressions,
  timed
} from "#src/people/Suppressions.ts"
import { Clock, Effect, HashMap, Layer, Option } from "effect"

const rowName = (scope: Scope, { address, channel }: Address): string => nameOf(scope, `${channel} ${address}`)

const held = (state: State, scope: Scope, one: Address): SuppressionRow | undefined =>
  Option.getOrUndefined(HashMap.get(state.suppressions, rowName(scope, one)))

const isOver = ({ expires = Infinity }: Suppression, now: number): boolean => expires <= now

const living = (now: number) => (state: State, scope: Scope, one: Address): SuppressionRow | undefined => {
  const row = held(state, scope, one)
  return row === undefined || isOver(row, now) ? undefined : row
}

const told = ({ freed: _, scope: __, ...row }: SuppressionRow): Suppression => row

const isDone = (row: SuppressionRow, now: number): boolean =>
  isOver(row, now) && (row.freed === undefined || row.freed <= now - freeCounts)

/** Deletes those whose time has come, `limit` at most; how many. */
const swept = (state: State, limit: number, now: number): readonly [number, State] => {
  const gone = Array.from(HashMap.values(state.suppressions)).filter((row) => isDone(row, now)).slice(0, limit)
  const names = gone.map((row) => rowName(row.scope, row))
  return [gone.length, { ...state, suppressions: HashMap.removeMany(state.suppressions, names) }]
}

/** The suppressed addresses in memory. */
export const layer = Layer.effect(
  Suppressions,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)

    const find = Effect.fnUntraced(function*(scope: Scope, one: Address) {
      const now = yield* Clock.currentTimeMillis
      return yield* read((state) => living(now)(state, scope, one))
    })

    return Suppressions.of({
      reason: (scope, one) => Effect.map(find(scope, one), (row) => row?.reason),
      add: Effect.fnUntraced(function*(scope, all) {
        const now = yield* Clock.currentTimeMillis
        return yield* modify((state) => {
          const fresh = timed(all, now).filter((one) => {
            const before = held(state, scope, one)
            return before === undefined || replaces(one, before)
          })
          const suppressions = fresh.reduce(
            (rows, { isDated: _, ...one }) =>
              HashMap.set(rows, rowName(scope, one), { ...one, scope, freed: held(state, scope, one)?.freed }),
            state.suppressions
          )
          return [fresh.length > 0, { ...state, suppressions }]
        })
      }),
      get: Effect.fnUntraced(function*(scope, one) {
        const row = yield* find(scope, one)
        return row === undefined ? yield* new SuppressionNotFound({ address: one.address }) : told(row)
      }),
      list: Effect.fnUntraced(function*(scope, { channel, cursor, limit, reason }) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* read((state) => inScope(state.suppressions, scope))
        return yield* Pages.cut({
          cursors,
          list: { scope, route: "suppressions", filters: [channel ?? null, reason ?? null] },
          rows: rows.filter((row) =>
            !isOver(row, now) && (channel === undefined || row.channel === channel) &&
            (reason === undefined || row.reason === reason)
          ).map(told),
          position: ({ address, created }) => ({ at: created, id: address }),
          limit,
          cursor
        })
      }),
      remove: Effect.fnUntraced(function*(scope, one) {
        const now = yield* Clock.currentTimeMillis
        const wasThere = yield* modify((state) => {
          const row = living(now)(state, scope, one)
          if (row === undefined) return [false, state]
          const free = { ...row, expires: now, freed: Math.max(now, row.created), detail: undefined }
          return [true, { ...state, suppressions: HashMap.set(state.suppressions, rowName(scope, one), free) }]
        })
        if (!wasThere) return yield* new SuppressionNotFound({ address: one.address })
      }),
      sweep: Effect.fnUntraced(function*(limit) {
        const now = yield* Clock.currentTimeMillis
        return yield* modify((state) => swept(state, limit, now))
      })
    })
  })
)
