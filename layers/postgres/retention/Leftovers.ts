import * as BulkJobs from "#layers/postgres/retention/BulkJobs.ts"
import { batch, untilNone } from "#layers/postgres/retention/Batches.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Drops ended messages from before `before` (the beginning of an id) that are in the default partitions. */
const ofDefault = (sql: SqlClient.SqlClient, before: string) =>
  untilNone(sql`with m as (delete from messages_default where ctid = any(array(
      select d.ctid from messages_default d where d.id < ${before} and d.due_at is null and not exists (
        select from expansions x where x.scope = d.scope and x.id = d.request_id and x.due_at is not null)
      limit ${batch}::int for update of d)) returning scope, id),
    a as (delete from attempts_default t using m where t.scope = m.scope and t.message_id = m.id),
    h as (delete from history_default t using m where t.scope = m.scope and t.message_id = m.id),
    o as (delete from outputs_default t using m where t.scope = m.scope and t.message_id = m.id)
    select id from m`)

/**
 * Drops inbox items from before `before` whose messages are gone. The bound on the messages leaves out the partitions
 * that are kept. What is being marked is left for the next time: who marks all of an inbox locks it in another order. Rows are deleted by `ctid`: by a set of keys, the planner would read the whole table for each batch.
 */
const ofInboxes = (sql: SqlClient.SqlClient, before: string) =>
  untilNone(sql`delete from inbox where ctid = any(array(
      select i.ctid from inbox i where i.message_id < ${before}
        and not exists (select from messages m where m.scope = i.scope and m.id = i.message_id and m.id < ${before})
      limit ${batch}::int for update of i skip locked)) returning 1`)

/** Drops requests from before `before` that are finished and have no messages any more. */
const ofRequests = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, before: string) {
  const isGone =
    sql`not exists (select from messages m where m.scope = r.scope and m.request_id = r.id and m.id < ${before}
    and m.id >= left(r.id, ${Ids.originLength}::int) and m.id < left(r.id, ${Ids.originLength}::int) || 'g')`
  yield* untilNone(BulkJobs.goingWith(
    sql,
    sql`delete from expansions where ctid = any(array(
    select r.ctid from expansions r where r.id < ${before} and r.due_at is null and ${isGone}
    limit ${batch}::int for update of r)) returning scope, id`
  ))
  yield* untilNone(sql`delete from list_requests where ctid = any(array(
    select l.ctid from list_requests l cross join lateral (select l.scope, l.request_id as id) r
    where l.request_id < ${before} and ${isGone}
      and not exists (select from expansions x where x.scope = r.scope and x.id = r.id)
    limit ${batch}::int for update of l)) returning 1`)
})

/**
 * Drops what is older than `before` (the beginning of an id) and not in a partition of a day: messages of the default
 * partitions, and inbox items whose messages are gone. `isDue`: days were detached, so there are such items.
 */
export const drop = Effect.fn("Leftovers.drop")(function*(sql: SqlClient.SqlClient, before: string, isDue: boolean) {
  const gone = yield* ofDefault(sql, before)
  if (gone > 0) {
    yield* ofRequests(sql, before)
    yield* Effect.logInfo("dropped old messages of the default partition", { messages: gone })
  }
  if (gone > 0 || isDue) yield* ofInboxes(sql, before)
})
