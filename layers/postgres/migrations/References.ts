import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the message of a provider's reference; calls without one cost nothing here. */
export const references = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index attempts_by_reference on attempts (scope, reference) where reference is not null`
})
