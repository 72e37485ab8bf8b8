import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Bulk jobs and their users (api.md §13). `position` counts a job's users from 0; `key` is one person of it. A job with a `request_id` takes no
 * more users; how far it has come is in its expansion.
 */
export const bulk = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table bulk_jobs (
    scope int not null,
    id text collate "C" not null,
    definition text not null,
    received int not null default 0,
    failures int not null default 0,
    request_id text collate "C",
    created_at bigint not null,
    primary key (scope, id)
  )`
  yield* sql`create index bulk_jobs_age on bulk_jobs (created_at)`
  yield* sql`create table bulk_users (
    scope int not null,
    job_id text collate "C" not null,
    position int not null,
    key text collate "C" not null,
    bulk_user text not null,
    error text,
    primary key (scope, job_id, position),
    unique (scope, job_id, key),
    foreign key (scope, job_id) references bulk_jobs (scope, id) on delete cascade
  )`
})

/** Users are deleted after their job, in batches: with a cascade, any number of them would go in one statement. */
export const bulkDrops = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table bulk_users drop constraint bulk_users_scope_job_id_fkey`
})
