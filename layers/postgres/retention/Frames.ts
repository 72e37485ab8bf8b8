import { bound } from "#layers/postgres/Partitions.ts"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Drops the frames that no output needs any more, given the oldest day that is still there. An output may be written
 * some seconds after the use of its frame was noted, which may have been the day before: a day more is kept. An output
 * in the default partition that is older than that day keeps them all.
 */
export const drop = Effect.fn("Retention.frames")(function*(sql: SqlClient.SqlClient, oldest: DateTime.Utc) {
  yield* sql`delete from frames where used_at < ${DateTime.subtract(oldest, { days: 1 }).epochMilliseconds}
    and not exists (select from outputs_default where message_id < ${bound(oldest)})`
})
