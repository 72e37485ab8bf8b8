import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Only the key finds a message by its id. In a small partition the recipients' index, which has the columns of the key, cost the same, and was
 * taken; that plan was kept while the partition grew, and each lookup read the whole environment's entries: 4 s for a batch of steps behind
 * 100,000 messages. Its predicate is true of every row, and follows from asking for a recipient.
 */
export const recipients = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index messages_by_recipient`
  yield* sql`create index messages_by_recipient on messages (scope, recipient_name, id) where recipient_name is not null`
})
