import * as InPieces from "#layers/postgres/InPieces.ts"
import type { ListId } from "#schemas/List.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ userId: Schema.String })))

/**
 * Opens, in a transaction, the subscriptions that a list has now; the answer then removes those of other users than
 * `kept` from it, a page at a time. All pages show the list as it was when it was opened: with each as it is by then, of
 * several users whom another call subscribes meanwhile, some would be removed and some not.
 */
export const make = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(scope: Scope, id: ListId) {
    yield* sql`declare subscribed no scroll cursor for
      select user_id as "userId" from list_subscriptions where scope = ${scope} and list_id = ${id} order by user_id`

    const next = sql`fetch ${sql.literal(String(InPieces.most))} from subscribed`.pipe(Effect.flatMap(decode))

    // Each is looked up by key: while the table has no statistics, the planner would read the whole list for each page.
    const removed = (userIds: ReadonlyArray<string>) =>
      sql`delete from list_subscriptions where ctid = any(array(
        select s.ctid from unnest(${userIds}::text[]) as x(user_id) cross join lateral (
          select ctid from list_subscriptions
          where scope = ${scope} and list_id = ${id} and user_id = x.user_id collate "C" for update) s))`

    return Effect.fnUntraced(function*(kept: ReadonlySet<string>) {
      let page = yield* next
      while (page.length > 0) {
        const gone = page.flatMap(({ userId }) => kept.has(userId) ? [] : [userId])
        if (gone.length > 0) yield* removed(gone)
        yield* Patience.heard
        page = page.length < InPieces.most ? [] : yield* next
      }
      yield* sql`close subscribed`
    })
  })
