import { Database } from "#layers/memory/Database.ts"
import * as Pages from "#layers/memory/Pages.ts"
import { inboxOf } from "#layers/memory/State.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { Effect, Layer } from "effect"

/** The in-app inbox in memory. */
export const layer = Layer.effect(
  Inbox,
  Effect.gen(function*() {
    const { read } = yield* Database
    const key = yield* SecretKey
    return Inbox.of({
      list: Effect.fnUntraced(function*(scope, userId, { cursor, limit }) {
        const rows = yield* read((state) => inboxOf(state, scope, userId))
        return yield* Pages.cut({
          key,
          list: { scope, route: "inbox", filters: [userId] },
          rows: Array.from(rows),
          position: (item) => ({ at: item.createdAt, id: item.messageId }),
          limit,
          cursor
        })
      })
    })
  })
)
