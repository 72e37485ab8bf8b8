import { Clock, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ count: Schema.Int, last: Schema.NullOr(Schema.Number) })])
)

/** All rows of a sweep's first batch. */
const start = Number.MIN_SAFE_INTEGER

/**
 * Deletes, at each call, so many of a table's rows as its limit says whose `expires_at` is over, and which
 * `isDue` says may go, and answers how many it was. Rows that another transaction has locked are left for the next sweep. Rows are deleted by `ctid`, which their
 * locks keep valid: by a set of keys, the planner would read the whole table for each batch. Each batch of a sweep begins
 * where the last one ended: while a backup runs, it would pass all that are gone.
 */
export const sweeping = (
  sql: SqlClient.SqlClient,
  table: "idempotency" | "inbox" | "send_counts" | "suppressions",
  isDue: (now: number) => Statement.Fragment = () => sql`true`
) => {
  /** Where the sweep is: when the last row expired that a full batch deleted. */
  let from = start
  return Effect.fnUntraced(function*(limit: number) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`with gone as (
        delete from ${sql(table)} where ctid = any(array(
          select ctid from ${sql(table)} where expires_at >= ${from}::bigint and expires_at <= ${now}::bigint
            and ${isDue(now)}
          order by expires_at limit ${limit}::int for update skip locked))
        returning expires_at)
      select count(*)::int as count, max(expires_at)::float8 as last from gone`
    const [{ count, last }] = yield* decode(rows)
    from = count === limit ? last ?? start : start
    return count
  })
}
