import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Requests to many. `place` says how far the row has become messages: JSON, compared as it was written. `due_at` is 0 while there is more
 * to make, epoch ms after a failed try, null at the end; `epoch` is the owner that began the current try. A message knows the list that it
 * comes from.
 */
export const expansions = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table expansions (
    scope int not null,
    id text collate "C" not null,
    shard smallint not null,
    key_state text not null,
    recipients text not null,
    instructions text not null,
    place text not null,
    created bigint not null default 0,
    state text not null,
    due_at bigint,
    tries smallint not null default 0,
    epoch bigint not null default 0,
    error text,
    archived boolean not null default false,
    accepted_at bigint not null,
    advanced_at bigint not null,
    ended_at bigint,
    primary key (scope, id)
  ) with (fillfactor = 50)`
  yield* sql`create index expansions_open on expansions (shard, due_at) where due_at is not null`
  yield* sql`create index expansions_archived on expansions (scope, id) where archived`
  yield* sql`alter table messages add column list_id text collate "C"`
  yield* sql`create index messages_by_list on messages (scope, list_id, id) where list_id is not null`
})
