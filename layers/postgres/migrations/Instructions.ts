import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Lets messages of a request to many have the instructions of its expansion. Each had a copy: of 4 kB of text to a
 * hundred thousand people, 400 MB were stored, and 460 MB more were written to the database's log.
 */
export const sharedInstructions = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table messages alter column instructions drop not null`
})
