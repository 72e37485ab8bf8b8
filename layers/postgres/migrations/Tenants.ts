import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Brands; tenants with their members, default preferences and own templates. What callers wrote is JSON as text. The
 * versions of a tenant's template never change; `live` is the published one. Which brands templates name has columns of
 * its own, as their strategies have, since a brand in use stays.
 */
export const tenants = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table brands (
    scope int not null,
    id text collate "C" not null,
    name text not null,
    settings text,
    snippets text,
    is_default boolean not null default false,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    published_at bigint not null,
    primary key (scope, id)
  )`
  yield* sql`create index brands_by_time on brands (scope, created_at, id)`
  yield* sql`create unique index brands_default on brands (scope) where is_default`
  yield* sql`alter table templates add column draft_brand text, add column live_brand text`
  yield* sql`update templates t set
    draft_brand = substring(t.draft from '"brand":(?:null|\\{"id":"([^"\\\\]*)"\\})'),
    live_brand = (select substring(v.template from '"brand":(?:null|\\{"id":"([^"\\\\]*)"\\})') from template_versions v
      where v.scope = t.scope and v.template_id = t.id and v.version = t.live)`
  yield* sql`create index templates_by_draft_brand on templates (scope, draft_brand)
    where draft_brand is not null and not archived`
  yield* sql`create index templates_by_live_brand on templates (scope, live_brand)
    where live_brand is not null and not archived`
  yield* sql`create table tenants (
    scope int not null,
    id text collate "C" not null,
    name text not null,
    parent_id text collate "C",
    brand_id text,
    brand text,
    properties text,
    user_profile text,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, id)
  )`
  yield* sql`create index tenants_by_parent on tenants (scope, parent_id, id) where parent_id is not null`
  yield* sql`create index tenants_by_brand on tenants (scope, brand_id) where brand_id is not null`
  yield* sql`create table tenant_users (
    scope int not null,
    tenant_id text collate "C" not null,
    user_id text collate "C" not null,
    profile text,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, tenant_id, user_id)
  )`
  yield* sql`create index tenant_users_by_user on tenant_users (scope, user_id, tenant_id)`
  yield* sql`create table tenant_default_preferences (
    scope int not null,
    tenant_id text collate "C" not null,
    topic_id text collate "C" not null,
    status text not null,
    has_custom_routing boolean,
    custom_routing text,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, tenant_id, topic_id)
  )`
  yield* sql`create table tenant_templates (
    scope int not null,
    tenant_id text collate "C" not null,
    template_id text collate "C" not null,
    latest bigint not null,
    live bigint,
    created_at bigint not null,
    updated_at bigint not null,
    published_at bigint,
    primary key (scope, tenant_id, template_id)
  )`
  yield* sql`create table tenant_template_versions (
    scope int not null,
    tenant_id text collate "C" not null,
    template_id text collate "C" not null,
    version bigint not null,
    template text not null,
    created_at bigint not null,
    primary key (scope, tenant_id, template_id, version)
  )`
})

/**
 * A tenant's members go after it, in pieces: all in one statement, a million of them are more than a request waits for. What is left of a
 * tenant that is gone has a lower `generation` than one made anew under its id.
 */
export const tenantDrops = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table tenants add column generation bigint not null default 0`
  yield* sql`alter table tenant_users add column generation bigint not null default 0`
  yield* sql`create table tenant_drops (
    scope int not null,
    tenant_id text collate "C" not null,
    generation bigint not null,
    primary key (scope, tenant_id)
  )`
  yield* sql`create trigger audience_follows_tenant_anew after update of generation on tenant_users
    for each row when (old.generation is distinct from new.generation) execute function audience_subject_changed()`
})
