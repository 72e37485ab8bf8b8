import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** SQL: whether a row of `expansions` ended half a day after the second of its id, or later. */
export const wentOnForLong =
  "ended_at is not null and id < '1-' || lpad(to_hex(greatest(ended_at - 43200000, 0) / 1000), 8, '0')"

/**
 * Requests to many that went on for long: only of these are messages younger than their ids say. An index of when each
 * request ended had an entry for every one, and a search of messages from a month ago on read all of that month.
 */
export const longRequests = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // First, as its lock is the stronger: taken after the other, it and a page that is being expanded wait for each other.
  yield* sql`drop index if exists expansions_ended`
  yield* sql`create index expansions_long on expansions (ended_at, id) where ${sql.literal(wentOnForLong)}`
})
