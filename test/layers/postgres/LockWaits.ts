import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"

/** Until so many sessions wait for a lock. If they do not come to that, it tells what they do instead. */
export const until = (sql: SqlClient.SqlClient) => (sessions: number) =>
  sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (found) => found.length >= sessions, schedule: Schedule.spaced("10 millis") }),
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () =>
        sql`select state, wait_event_type, wait_event, left(query, 200) as query from pg_stat_activity
          where datname = current_database()`.pipe(Effect.flatMap((found) => Effect.die(found)))
    })
  )
