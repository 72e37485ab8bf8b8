import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Requests to many by their state: of a few that failed among millions, a page read them all. */
export const states = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index expansions_by_state on expansions (scope, state, id)`
})
