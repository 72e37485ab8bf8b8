import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Runs statements in a transaction that reads rows in the order of an index, and no further than their limit. By the
 * statistics of a day whose queue was empty, or by none, sorting costs nothing: a look read and sorted a whole backlog,
 * once for each turn. A plan that must sort is held to be so dear that JIT would compile it, for seconds: so that is off too.
 */
export const inOrder = (sql: SqlClient.SqlClient) => {
  const set = sql.unsafe("select set_config('enable_sort', 'off', true), set_config('jit', 'off', true)")
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(Effect.andThen(set, effect))
}
