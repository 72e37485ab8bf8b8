import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How many messages may be sent, and how many were. `messages.counted` says that a message has gone into the counts, so
 * that it does not do so again.
 */
export const sendLimits = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table send_limits (
    scope int not null,
    per text collate "C" not null,
    period text collate "C" not null,
    said text not null,
    created_at bigint not null,
    updated_at bigint,
    primary key (scope, per, period)
  )`
  yield* sql`create table send_counts (
    scope int not null,
    per text collate "C" not null,
    period text collate "C" not null,
    subject text collate "C" not null,
    starts_at bigint not null,
    used bigint not null,
    expires_at bigint not null,
    primary key (scope, per, period, subject, starts_at)
  ) with (fillfactor = 70)`
  yield* sql`create index send_counts_expiring on send_counts (expires_at)`
  yield* sql`alter table messages add column counted boolean`
})
