import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Rows are locked in the order of message ids, in which all who lock several items take them (`Inbox.markAll`), and each
 * is found by its whole key: its user is whom readers of the log see.
 */
const statement = `with locked as materialized (
    select i.scope, i.user_id, i.message_id from unnest($2::text[]) as x(id)
      join messages m on m.scope = $1 and m.id = x.id and m.id = any($2)
      join inbox i on i.scope = $1 and i.user_id = m.recipient_name and i.message_id = x.id
    where i.read_at is null order by i.message_id for update of i)
  update inbox i set read_at = $3, opened_at = coalesce(i.opened_at, $3) from locked l
  where i.scope = l.scope and i.user_id = l.user_id and i.message_id = l.message_id and i.read_at is null`

/** Marks the in-app items of these messages as read at `now` (epoch ms), unless they are. */
export const mark = (
  sql: SqlClient.SqlClient,
  scope: number | undefined,
  ids: ReadonlyArray<string>,
  now: number
) => ids.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(statement, [scope, ids, now]))
