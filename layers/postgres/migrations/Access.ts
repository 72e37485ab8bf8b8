import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Device tokens, translations, submissions of templates, what was done by whom, and the counters of limited requests. What callers wrote is
 * JSON as text; what is looked for has a column. A token belongs to one user, so it is the key.
 */
export const access = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table device_tokens (
    scope int not null,
    token text collate "C" not null,
    user_id text collate "C" not null,
    provider text not null,
    details text not null,
    expires_at bigint,
    status text not null,
    status_reason text,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, token)
  )`
  yield* sql`create index device_tokens_by_user on device_tokens (scope, user_id, created_at, token)`
  yield* sql`create table translations (
    scope int not null,
    domain text collate "C" not null,
    locale text collate "C" not null,
    po text not null,
    updated_at bigint not null,
    primary key (scope, domain, locale)
  )`
  yield* sql`create table template_submissions (
    scope int not null,
    template_id text collate "C" not null,
    id text collate "C" not null,
    checks text not null,
    created_at bigint not null,
    primary key (scope, template_id, id)
  )`
  yield* sql`create table audit_events (
    scope int not null,
    id text collate "C" not null,
    at bigint not null,
    type text not null,
    source text not null,
    target text not null,
    actor text not null,
    primary key (scope, id)
  )`
  yield* sql`create index audit_events_by_time on audit_events (scope, at, id)`
  yield* sql`create table request_counts (
    scope int not null,
    name text not null,
    window_start bigint not null,
    count int not null,
    primary key (scope, name)
  )`
})
