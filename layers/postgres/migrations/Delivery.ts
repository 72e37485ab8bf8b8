import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The tables of the delivery engine. Caller payloads are `text`: JSON as it was written, since `jsonb` refuses `\u0000`, lone surrogates and
 * huge numbers that JSON allows. Ids sort by time under collation C, so messages, attempts and history are partitioned by them, a day each;
 * the default partition takes what no day was made for. `due_at` is 0 for a ready message, epoch ms for a timed one, null for a closed one;
 * the two partial indexes are the queue.
 */
export const delivery = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create sequence message_seq`
  yield* sql`create table messages (
    scope int not null,
    id text collate "C" not null,
    request_id text collate "C" not null,
    seq bigint not null default nextval('message_seq'),
    shard smallint not null,
    lane text not null,
    recipient_key text not null,
    key_state text not null,
    status text not null,
    reason text,
    error text,
    due_at bigint,
    tries smallint not null default 0,
    archived boolean not null default false,
    event text not null,
    template text not null,
    recipient_name text not null,
    tenant_id text,
    tags text[] not null default '{}',
    trace_id text,
    providers text[] not null default '{}',
    enqueued_at bigint not null,
    sent_at bigint,
    delivered_at bigint,
    opened_at bigint,
    clicked_at bigint,
    canceled_at bigint,
    recipient text not null,
    instructions text not null,
    primary key (scope, id)
  ) partition by range (id)`
  yield* sql`create index messages_ready on messages (lane, seq) where due_at = 0`
  yield* sql`create index messages_timed on messages (lane, due_at) where due_at > 0`
  yield* sql`create index messages_by_recipient on messages (scope, recipient_name, id)`
  yield* sql`create index messages_by_request on messages (scope, request_id, id) where request_id <> id`
  yield* sql`create index messages_by_trace on messages (scope, trace_id, id) where trace_id is not null`

  yield* sql`create table attempts (
    scope int not null,
    message_id text collate "C" not null,
    number smallint not null,
    epoch bigint not null,
    channel text not null,
    provider text not null,
    state text not null,
    kind text,
    started_at bigint not null,
    ended_at bigint,
    retry_after bigint,
    reference text,
    error text,
    primary key (scope, message_id, number)
  ) partition by range (message_id)`

  yield* sql`create table history (
    scope int not null,
    message_id text collate "C" not null,
    at bigint not null,
    step text not null,
    events text not null,
    primary key (scope, message_id, at, step)
  ) partition by range (message_id)`

  for (const table of ["messages", "attempts", "history"]) {
    yield* sql`create table ${sql(`${table}_default`)} partition of ${sql(table)} default with (fillfactor = 80)`
  }

  yield* sql`create table inbox (
    scope int not null,
    user_id text not null,
    message_id text collate "C" not null,
    tenant_id text,
    created_at bigint not null,
    rendered text not null,
    primary key (scope, user_id, message_id)
  )`
  yield* sql`create index inbox_by_time on inbox (scope, user_id, created_at, message_id)`
  yield* sql`create table epochs (
    shard smallint primary key,
    epoch bigint not null,
    node text not null,
    taken_at bigint not null
  ) with (fillfactor = 50)`
  yield* sql`create table idempotency (
    scope int not null,
    path text not null,
    key text not null,
    owner text not null,
    status smallint not null,
    headers text not null,
    body text not null,
    body_hash text not null,
    expires_at bigint not null,
    primary key (scope, path, key)
  )`
  yield* sql`create index idempotency_expiry on idempotency (expires_at)`
})
