import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inboxOf, type State } from "#layers/memory/State.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { Clock, Effect, HashMap, Layer } from "effect"

/** Deletes items whose time has come, `limit` at most; how many. */
const swept = (state: State, limit: number, now: number): readonly [number, State] => {
  const gone = HashMap.toEntries(state.inbox).flatMap(([name, items]) =>
    Array.from(HashMap.values(items)).flatMap(({ expiresAt = Infinity, messageId }) =>
      expiresAt <= now ? [{ name, messageId }] : []
    )
  ).slice(0, limit)
  const inbox = gone.reduce(
    (left, { messageId, name }) => HashMap.modify(left, name, (items) => HashMap.remove(items, messageId)),
    state.inbox
  )
  return [gone.length, { ...state, inbox }]
}

/** The in-app inbox in memory. */
export const layer = Layer.effect(
  Inbox,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    return Inbox.of({
      list: Effect.fnUntraced(function*(scope, userId, { cursor, limit }) {
        const now = yield* Clock.currentTimeMillis
        const rows = Array.from(yield* read((state) => inboxOf(state, scope, userId)))
        return yield* Pages.cut({
          cursors,
          list: { scope, route: "inbox", filters: [userId] },
          rows: rows.filter(({ expiresAt = Infinity }) => expiresAt > now),
          position: (item) => ({ at: item.createdAt, id: item.messageId }),
          bytesOf: ({ rendered }) => JSON.stringify(rendered).length,
          limit,
          cursor
        })
      }),
      sweep: Effect.fnUntraced(function*(limit) {
        const now = yield* Clock.currentTimeMillis
        return yield* modify((state) => swept(state, limit, now))
      })
    })
  })
)
