import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Templates, routing strategies and provider configurations. What callers wrote is JSON as text; what is looked for
 * has a column. A template's draft is in its row, its published versions are rows that never change. `revisions`
 * counts the changes of one kind in one scope, so that what nodes remember can be checked for a look at one row.
 */
export const content = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table revisions (
    scope int not null,
    kind text not null,
    revision bigint not null,
    primary key (scope, kind)
  )`
  yield* sql`create table routing_strategies (
    scope int not null,
    id text collate "C" not null,
    strategy text not null,
    archived boolean not null default false,
    created_at bigint not null,
    updated_at bigint,
    primary key (scope, id)
  )`
  yield* sql`create index routing_strategies_by_time on routing_strategies (scope, created_at, id) where not archived`
  yield* sql`create table templates (
    scope int not null,
    id text collate "C" not null,
    alias text,
    archived boolean not null default false,
    summary text not null,
    draft text not null,
    draft_at bigint not null,
    draft_strategy text,
    latest bigint not null default 0,
    live bigint,
    live_strategy text,
    live_topic text,
    created_at bigint not null,
    updated_at bigint,
    primary key (scope, id)
  )`
  yield* sql`create unique index templates_by_alias on templates (scope, alias) where alias is not null and not archived`
  yield* sql`create index templates_by_time on templates (scope, created_at, id) where not archived`
  yield* sql`create index templates_by_draft_strategy on templates (scope, draft_strategy)
    where draft_strategy is not null and not archived`
  yield* sql`create index templates_by_live_strategy on templates (scope, live_strategy)
    where live_strategy is not null and not archived`
  yield* sql`create table template_versions (
    scope int not null,
    template_id text collate "C" not null,
    version bigint not null,
    template text not null,
    created_at bigint not null,
    primary key (scope, template_id, version)
  )`
  yield* sql`create table provider_configurations (
    scope int not null,
    id text collate "C" not null,
    provider text not null,
    title text,
    alias text,
    settings text,
    created_at bigint not null,
    updated_at bigint,
    primary key (scope, id)
  )`
  yield* sql`create unique index provider_configurations_by_alias on provider_configurations (scope, alias)
    where alias is not null`
})
