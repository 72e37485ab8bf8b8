import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inScope, nameOf } from "#layers/memory/State.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Audit, AuditEventNotFound } from "#src/reports/Audit.ts"
import { Clock, Effect, HashMap, Layer, Option } from "effect"

/** The audit in memory. */
export const layer = Layer.effect(
  Audit,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const newId = yield* TypeId.generator("aev")

    return Audit.of({
      together: transaction,
      record: Effect.fnUntraced(function*(scope, deed) {
        const id = yield* newId
        const at = yield* Clock.currentTimeMillis
        yield* update((state) => ({
          ...state,
          access: {
            ...state.access,
            audit: HashMap.set(state.access.audit, nameOf(scope, id), { ...deed, scope, id, at })
          }
        }))
      }),
      list: Effect.fnUntraced(function*(scope, { cursor, limit }) {
        const rows = yield* read((state) => inScope(state.access.audit, scope))
        const page = yield* Pages.cut({
          cursors,
          list: { scope, route: "audit events", filters: [] },
          rows,
          position: ({ at, id }) => ({ at, id }),
          limit,
          cursor
        })
        return { ...page, items: page.items.map(({ scope: _, ...event }) => event) }
      }),
      get: Effect.fnUntraced(function*(scope, id) {
        const row = yield* read((state) => HashMap.get(state.access.audit, nameOf(scope, id)))
        if (Option.isNone(row)) return yield* new AuditEventNotFound({ id })
        const { scope: _, ...event } = row.value
        return event
      })
    })
  })
)
