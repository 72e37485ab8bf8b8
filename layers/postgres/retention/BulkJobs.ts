import { bound } from "#layers/postgres/days/Partitions.ts"
import { batch, untilNone } from "#layers/postgres/retention/Batches.ts"
import { type DateTime, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ scope: Schema.Int, job: Schema.String, last: Schema.Int }))
)

/**
 * A statement that deletes requests together with their bulk jobs; `requests` deletes them and returns their scopes and
 * ids. A job that outlived its request would look like one whose run was interrupted before acceptance, and could be
 * run again.
 */
export const goingWith = (sql: SqlClient.SqlClient, requests: Statement.Fragment) =>
  sql`with gone as (${requests}),
    jobs as (delete from bulk_jobs j using gone where j.scope = gone.scope and j.request_id = gone.id)
    select id from gone`

/** Drops jobs that were never run, and those whose requests are gone. One that is just being accepted is too young. */
const jobs = (sql: SqlClient.SqlClient, before: DateTime.Utc) =>
  untilNone(sql`delete from bulk_jobs where ctid = any(array(
    select j.ctid from bulk_jobs j where created_at < ${before.epochMilliseconds}
      and (request_id is null or (request_id < ${bound(before)}
        and not exists (select from expansions x where x.scope = j.scope and x.id = j.request_id)))
    limit ${batch}::int for update of j)) returning 1`)

/** Drops the users of jobs that are gone, also those that an interrupted run left. One index step finds each job. */
const users = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const left = yield* sql`with recursive jobs as (
      (select scope, job_id from bulk_users order by scope, job_id limit 1)
      union all
      select next.scope, next.job_id from jobs cross join lateral (
        select u.scope, u.job_id from bulk_users u where (u.scope, u.job_id) > (jobs.scope, jobs.job_id)
        order by u.scope, u.job_id limit 1) next)
    select scope, job_id as job, (select max(position) from bulk_users u
      where u.scope = jobs.scope and u.job_id = jobs.job_id) as last
    from jobs where not exists (select from bulk_jobs b where b.scope = jobs.scope and b.id = jobs.job_id)`.pipe(
    Effect.flatMap(decode)
  )
  for (const { job, last, scope } of left) {
    for (let from = 0; from <= last; from += batch) {
      yield* sql`delete from bulk_users where scope = ${scope} and job_id = ${job}
        and position >= ${from} and position < ${from + batch}`
    }
  }
})

/** Drops the bulk jobs from before `before`, and then their users. */
export const drop = Effect.fn("Retention.bulkJobs")(function*(sql: SqlClient.SqlClient, before: DateTime.Utc) {
  yield* jobs(sql, before)
  yield* users(sql)
})
