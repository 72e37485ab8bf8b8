import { Database } from "#layers/memory/Database.ts"
import { findMessage, nameOf as placeOf, type State } from "#layers/memory/State.ts"
import type { Scope } from "#schemas/Scope.ts"
import {
  count,
  type Counted,
  type CountName,
  keptUntil,
  nameOf,
  SendCounts,
  type Taken
} from "#src/flows/SendCounts.ts"
import { Clock, Effect, HashMap, Layer, Option } from "effect"

const usedOf = ({ limits: { counts } }: State, scope: Scope, one: CountName): number =>
  Option.match(HashMap.get(counts, nameOf(scope, one)), { onNone: () => 0, onSome: ({ used }) => used })

/** What becomes of a message that is to be counted. */
const taken = (state: State, asked: Counted): readonly [Taken, State] => {
  const { counts, messageId, scope } = asked
  if (findMessage(state, scope, messageId) === undefined) return [{ _tag: "Absent" }, state]
  const message = placeOf(scope, messageId)
  if (HashMap.has(state.limits.counted, message)) return [{ _tag: "Counted" }, state]
  const used = new Map(counts.map((one) => [nameOf(scope, one), usedOf(state, scope, one)]))
  const now = count(used, asked)
  if (now._tag !== "Counted") return [now, state]
  const rows = counts.map((one) => [nameOf(scope, one), { ...one, used: usedOf(state, scope, one) + 1 }] as const)
  const limits = {
    ...state.limits,
    counted: HashMap.set(state.limits.counted, message, true as const),
    counts: HashMap.setMany(state.limits.counts, rows)
  }
  return [now, { ...state, limits }]
}

/** Deletes those that are kept no longer, `limit` at most; how many. */
const swept = (state: State, limit: number, now: number): readonly [number, State] => {
  const gone = Array.from(state.limits.counts).filter(([, row]) => keptUntil(row) <= now).slice(0, limit)
  const counts = HashMap.removeMany(state.limits.counts, gone.map(([name]) => name))
  return [gone.length, { ...state, limits: { ...state.limits, counts } }]
}

/** The counts of send limits in memory. */
export const layer = Layer.effect(
  SendCounts,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    return SendCounts.of({
      take: (counted) => modify((state) => taken(state, counted)),
      used: (scope, counts) => read((state) => counts.map((one) => usedOf(state, scope, one))),
      sweep: (limit) => Effect.flatMap(Clock.currentTimeMillis, (now) => modify((state) => swept(state, limit, now)))
    })
  })
)
