import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Gives existing partitions the fill factor of new ones, for pages filled from now on: nothing is rewritten. */
export const room = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const [table, percent] of [["messages", 45], ["attempts", 50], ["history", 100]] as const) {
    yield* sql.unsafe(`do $$
      declare partition regclass;
      begin
        for partition in select inhrelid from pg_inherits where inhparent = '${table}'::regclass loop
          execute format('alter table %s set (fillfactor = ${percent})', partition);
        end loop;
      end $$`).unprepared
  }
})
