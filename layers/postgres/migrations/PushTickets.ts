import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tickets of pushes whose receipts have not been read yet: a row for each attempt, for a day at most. */
export const pushTickets = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table push_tickets (
    scope int not null,
    message_id text collate "C" not null,
    number smallint not null,
    provider text not null,
    tickets text not null,
    reached boolean not null,
    sent_at bigint not null,
    due_at bigint not null,
    primary key (scope, message_id, number)
  )`
  yield* sql`create index push_tickets_due on push_tickets (due_at)`
})
