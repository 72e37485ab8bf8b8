import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What users did with what is in their in-app inbox, and since when. */
export const inboxMarks = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table inbox add column read_at bigint, add column opened_at bigint, add column archived_at bigint`
})
