import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Workspaces' environments, the keys that open them, and the users in them. A key is stored as its keyed digest (P9). */
export const people = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table settings (name text primary key, value text not null)`
  yield* sql`create table scopes (
    id int primary key,
    workspace text not null,
    environment text not null,
    unique (workspace, environment)
  )`
  yield* sql`insert into scopes values (1, 'default', 'production'), (2, 'default', 'test')`
  yield* sql`create table api_keys (
    digest text primary key,
    scope int not null references scopes,
    state text not null,
    created_at bigint not null
  )`
  yield* sql`create table profiles (
    scope int not null,
    user_id text not null,
    profile text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, user_id)
  )`
})
