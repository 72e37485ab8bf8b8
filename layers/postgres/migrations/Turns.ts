import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Timed messages by whose turn it is, each turn's by their time. */
export const timedTurns = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index messages_timed_by_turn on messages
    (lane, ((scope::text || ':' || coalesce(tenant_id, '')) collate "C"), due_at) where due_at > 0`
})

/**
 * Ready messages by whose turn it is (`LaneShares.turnOf`), and by their recipients, so that a message that comes by its turn is seen to pass
 * no older one.
 */
export const turns = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index messages_by_turn on messages (lane, ((scope::text || ':' || coalesce(tenant_id, '')) collate "C"), seq)
    where due_at = 0`
  yield* sql`create index messages_ready_by_recipient on messages (recipient_key, seq) where due_at = 0`
})
