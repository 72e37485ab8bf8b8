import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** When a request to many ended: a search by time begins with the first that went on until then. */
export const slowest = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index expansions_ended on expansions (scope, ended_at) where ended_at is not null`
})
