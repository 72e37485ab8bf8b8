import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** When requests to many ended: a search by time begins with the first that went on until then, and days open again by it. */
export const slowest = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index expansions_ended on expansions (ended_at) where ended_at is not null`
})
