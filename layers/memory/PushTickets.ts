import { Database } from "#layers/memory/Database.ts"
import { dropTickets, hasTickets, putTickets } from "#layers/memory/State.ts"
import { lease, type PendingTickets, PushTickets } from "#src/reports/PushTickets.ts"
import { Clock, Effect, HashMap, Layer } from "effect"

/** The tickets of pushes in memory. */
export const layer = Layer.effect(
  PushTickets,
  Effect.gen(function*() {
    const { modify, update } = yield* Database
    return PushTickets.of({
      take: Effect.fnUntraced(function*(limit) {
        const now = yield* Clock.currentTimeMillis
        return yield* modify((state) => {
          const due = Array.from(HashMap.values(state.pushTickets)).filter(({ dueAt }) => dueAt <= now)
            .toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit)
          const taken = due.map(({ dueAt: _, ...row }): PendingTickets => row)
          return [taken, putTickets(state, taken.map((row) => ({ ...row, dueAt: now + lease })))]
        })
      }),
      keep: (left) =>
        update((state) => {
          const known = left.filter((row) => hasTickets(state, row))
          const kept = known.flatMap(({ dueAt, ...row }) => dueAt === undefined ? [] : [{ ...row, dueAt }])
          return dropTickets(putTickets(state, kept), known.filter(({ dueAt }) => dueAt === undefined))
        })
    })
  })
)
