import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Counts the members of audiences that compare by `GT`, `GTE`, `LT` or `LTE` anew, as if they had been put again: before,
 * a number was compared with any other text by its characters.
 */
export const comparisons = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  yield* sql`with again as (update audiences set version = version + 1
      where filter ~ '"operator":"(GT|GTE|LT|LTE)"' returning scope, id, version)
    insert into audience_counts (scope, audience_id, version, requested_at, after)
      select scope, id, version, ${now}::bigint, '' from again
      on conflict (scope, audience_id) do update set version = excluded.version, requested_at = excluded.requested_at,
        after = excluded.after`
})
