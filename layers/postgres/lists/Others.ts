import * as InPieces from "#layers/postgres/statements/InPieces.ts"
import type { ListId } from "#schemas/List.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Opens, in a transaction, the subscriptions that a list has now; the answer then removes those of other users than
 * `kept` from it, a piece at a time.
 */
export const make = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(scope: Scope, id: ListId) {
    const walk = yield* InPieces.opened(
      sql,
      sql`select user_id as key from list_subscriptions where scope = ${scope} and list_id = ${id} order by user_id`
    )

    // Each is looked up by key: while the table has no statistics, the planner would read the whole list for each piece.
    const removed = (userIds: ReadonlyArray<string>) =>
      sql`delete from list_subscriptions where ctid = any(array(
        select s.ctid from unnest(${userIds}::text[]) as x(user_id) cross join lateral (
          select ctid from list_subscriptions
          where scope = ${scope} and list_id = ${id} and user_id = x.user_id collate "C" for update) s))`

    return (kept: ReadonlySet<string>) =>
      walk((userIds) => {
        const gone = userIds.filter((userId) => !kept.has(userId))
        return gone.length > 0 ? removed(gone) : Effect.void
      })
  })
