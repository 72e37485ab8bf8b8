import * as BulkJobs from "#layers/postgres/retention/BulkJobs.ts"
import { batch, untilNone } from "#layers/postgres/retention/Batches.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Ended messages of before `before`, an id's beginning, that no day was made for, and what else the default partitions have of them. */
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
 * Items of inboxes of before `before` whose messages are gone. The bound on the messages leaves the days out that are kept. Found by their
 * places: by their keys as a set, the whole table would be read for each batch.
 */
const ofInboxes = (sql: SqlClient.SqlClient, before: string) =>
  untilNone(sql`delete from inbox where ctid = any(array(
      select i.ctid from inbox i where i.message_id < ${before}
        and not exists (select from messages m where m.scope = i.scope and m.id = i.message_id and m.id < ${before})
      limit ${batch}::int for update of i)) returning 1`)

/** Requests of before `before` of which nothing is open, and no message is there any more. */
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
 * Drops what is older than `before`, an id's beginning, and stands in no day of its own: messages of the default partitions, items of inboxes
 * whose messages are gone. `isDue`: days went, so there are such items.
 */
export const drop = Effect.fn("Leftovers.drop")(function*(sql: SqlClient.SqlClient, before: string, isDue: boolean) {
  const gone = yield* ofDefault(sql, before)
  if (gone > 0) {
    yield* ofRequests(sql, before)
    yield* Effect.logInfo("dropped old messages of the default partition", { messages: gone })
  }
  if (gone > 0 || isDue) yield* ofInboxes(sql, before)
})
