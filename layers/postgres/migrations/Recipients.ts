import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Makes the planner find a message by id with the primary key only. The recipients' index has the key's columns too: in
 * a small partition it cost the same and was chosen, and that plan was kept while the partition grew. Each lookup then
 * read all entries of the environment: 4 s for a batch of steps among 100,000 messages. Now the index is partial, so it
 * serves only queries that name a recipient; its predicate is true of every row.
 */
export const recipients = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index messages_by_recipient`
  yield* sql`create index messages_by_recipient on messages (scope, recipient_name, id) where recipient_name is not null`
})
