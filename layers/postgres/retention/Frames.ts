import { bound } from "#layers/postgres/days/Partitions.ts"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Drops the frames that no output needs any more, given the oldest day that is still there. An output may be written
 * some seconds after the use of its frame was noted, which may have been the day before: a day more is kept. An output
 * in the default partition that is older than that day keeps them all. One that is being written is in use, and is
 * passed over: to wait for it could be a deadlock with who writes several.
 */
export const drop = Effect.fn("Retention.frames")(function*(sql: SqlClient.SqlClient, oldest: DateTime.Utc) {
  const since = DateTime.subtract(oldest, { days: 1 }).epochMilliseconds
  yield* sql`with stale as materialized (select scope, name from frames where used_at < ${since} for update skip locked)
    delete from frames f using stale where f.scope = stale.scope and f.name = stale.name
      and not exists (select from outputs_default where message_id < ${bound(oldest)})`
})
