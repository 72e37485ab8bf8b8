import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Webhooks, and what each of them is to be told. An event's key is of what happened, so that a write which is
 * repeated after an unknown commit stores it once. No column stands first in both the key and the index by due times: a
 * planner that knows nothing of the table would take one for as good as the other.
 */
export const webhooks = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table webhooks (
    scope int not null,
    id text collate "C" not null,
    url text not null,
    types text[],
    description text,
    state text not null,
    secrets text not null,
    failures int not null default 0,
    failing_since bigint,
    error text,
    gave_up_at bigint,
    lost bigint not null default 0,
    reached_at bigint,
    since bigint not null default 0,
    paused_until bigint not null default 0,
    claim bigint not null default 0,
    claimed_until bigint not null default 0,
    created_at bigint not null,
    updated_at bigint,
    primary key (scope, id)
  )`
  yield* sql`create table webhook_events (
    scope int not null,
    webhook_id text collate "C" not null,
    id text collate "C" not null,
    type text not null,
    message_id text collate "C",
    status text,
    data text,
    at bigint not null,
    stored_at bigint not null,
    tries int not null default 0,
    due_at bigint not null,
    primary key (id, webhook_id, scope)
  )`
  yield* sql`create index webhook_events_due on webhook_events (scope, webhook_id, due_at)`
})
