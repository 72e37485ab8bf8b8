import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Lists with their subscriptions, audiences with their members. A deleted list keeps its rows until it is restored. Whoever
 * writes a profile leaves a row in `audience_changes` in the same statement, if its environment has an audience: the
 * members follow from there. The shared lock lets a new audience wait for writes that did not see it yet, so none of them
 * is missed by its first count. Users are compared byte by byte everywhere, so that pages of users of any table meet.
 */
export const lists = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table profiles alter column user_id type text collate "C"`
  yield* sql`create table lists (
    scope int not null,
    id text collate "C" not null,
    name text not null,
    preferences text,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint,
    primary key (scope, id)
  )`
  yield* sql`create table list_subscriptions (
    scope int not null,
    list_id text collate "C" not null,
    user_id text collate "C" not null,
    preferences text,
    created_at bigint not null,
    primary key (scope, list_id, user_id)
  )`
  yield* sql`create index list_subscriptions_by_user on list_subscriptions (scope, user_id, list_id)`
  yield* sql`create table audiences (
    scope int not null,
    id text collate "C" not null,
    name text not null,
    description text not null,
    filter text,
    operator text,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (scope, id)
  )`
  yield* sql`create table audience_members (
    scope int not null,
    audience_id text collate "C" not null,
    user_id text collate "C" not null,
    version bigint not null,
    added_at bigint not null,
    reason text not null,
    primary key (scope, audience_id, user_id)
  )`
  yield* sql`create index audience_members_by_user on audience_members (scope, user_id)`
  yield* sql`create table audience_counts (
    scope int not null,
    audience_id text collate "C" not null,
    version bigint not null,
    requested_at bigint not null,
    after text collate "C",
    primary key (scope, audience_id)
  )`
  yield* sql`create table audience_changes (
    seq bigint generated always as identity primary key,
    scope int not null,
    user_id text collate "C" not null
  )`
  yield* sql.unsafe(`create function audience_subject_changed() returns trigger language plpgsql as $$
    declare
      subject record;
    begin
      if tg_op = 'DELETE' then subject := old; else subject := new; end if;
      perform pg_advisory_xact_lock_shared(${audienceLock}, subject.scope);
      insert into audience_changes (scope, user_id) select subject.scope, subject.user_id
        where exists (select 1 from audiences where scope = subject.scope);
      if found then perform pg_notify('tidings_audiences', ''); end if;
      return null;
    end $$`)
  yield* sql`create trigger audience_follows_new after insert or delete on profiles
    for each row execute function audience_subject_changed()`
  yield* sql`create trigger audience_follows_changed after update of profile on profiles
    for each row when (old.profile is distinct from new.profile) execute function audience_subject_changed()`
})

/** The advisory lock (this, scope): shared by writes of profiles, alone for the making of an audience. */
export const audienceLock = 726_006
