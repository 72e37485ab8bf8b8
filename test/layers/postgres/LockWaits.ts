import { Effect, Fiber, Latch, Schedule } from "effect"
import type { SqlClient, Statement } from "effect/sql"

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

/**
 * Has the rows of a table locked for which this holds; the answer says that it may go on, with what is still to be done,
 * and waits for its end.
 */
export const held = (sql: SqlClient.SqlClient, table: string) =>
  Effect.fnUntraced(function*<E>(where: Statement.Fragment, last: Effect.Effect<unknown, E> = Effect.void) {
    const locked = yield* Latch.make()
    const end = yield* Latch.make()
    const fiber = yield* sql`select from ${sql(table)} where ${where} for update`.pipe(
      Effect.andThen(locked.open),
      Effect.andThen(end.await),
      Effect.andThen(last),
      sql.withTransaction,
      Effect.forkChild
    )
    yield* locked.await
    return Effect.andThen(end.open, Fiber.join(fiber))
  })
