import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

/**
 * Locks the rows whose `ctid` a query selects `for update`, and then writes them, in a transaction. One statement that
 * did both would pass a row that another call changed while its lock was waited for: of that, the statement does not
 * see the new version, to which the `ctid` leads.
 */
export const rows = <A>(
  sql: SqlClient.SqlClient,
  query: Statement.Fragment,
  write: (rows: Statement.Fragment) => Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> =>
  Effect.andThen(sql`select count(*) from (${query}) as locked`, write(sql`ctid = any(array(${query}))`))
