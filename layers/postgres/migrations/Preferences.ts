import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The catalogue of sections and topics, its published pages, and what users chose: their topic preferences (`tenant_id`
 * is '' outside every tenant) and their legacy ones. What callers wrote is JSON as text.
 */
export const preferences = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table preference_sections (
    scope int not null,
    id text collate "C" not null,
    section text not null,
    archived boolean not null default false,
    created_at bigint not null,
    updated_at bigint,
    primary key (scope, id)
  )`
  yield* sql`create table preference_topics (
    scope int not null,
    id text collate "C" not null,
    section_id text collate "C" not null,
    topic text not null,
    archived boolean not null default false,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, id)
  )`
  yield* sql`create index preference_topics_by_section on preference_topics (scope, section_id) where not archived`
  yield* sql`create table preference_pages (
    scope int not null,
    version bigint not null,
    id text collate "C" not null,
    page text not null,
    published_at bigint not null,
    primary key (scope, version)
  )`
  yield* sql`create table user_preferences (
    scope int not null,
    user_id text collate "C" not null,
    tenant_id text collate "C" not null,
    topic_id text collate "C" not null,
    preference text not null,
    updated_at bigint not null,
    primary key (scope, user_id, tenant_id, topic_id)
  )`
  yield* sql`create table recipient_preferences (
    scope int not null,
    user_id text collate "C" not null,
    preferences text not null,
    updated_at bigint not null,
    primary key (scope, user_id)
  )`
})
