import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { MessageQuery } from "#src/reports/MessageLog.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import type { List } from "#src/paging/Cursor.ts"
import { Array, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Whether a row of `messages m` belongs to a request to many that was archived as a whole. */
export const isArchivedWithRequest = `(m.request_id <> m.id and exists (select from expansions e
  where e.scope = m.scope and e.id = m.request_id and e.archived))`

/** The list that a cursor of this query belongs to. */
export const list = (scope: Scope, query: MessageQuery): List => ({
  scope,
  route: "messages",
  filters: [
    query.archived,
    query.enqueuedAfter ?? null,
    query.event ?? null,
    query.list ?? null,
    query.messageId ?? null,
    query.notification ?? null,
    query.providers,
    query.recipient ?? null,
    query.statuses,
    query.tags,
    query.tenantId ?? null,
    query.traceId ?? null,
    // What was asked of before tokens asked for users goes on with the cursor that it had.
    ...(query.userId === undefined ? [] : [query.userId])
  ]
})

/** An expansion's members carry the second of their request, so an id may be this much older than its message. */
const longestExpansion = 86_400

const idFrom = (millis: number): string => {
  const seconds = Math.min(Math.max(Math.floor(millis / 1_000) - longestExpansion, 0), 0xffff_ffff)
  return `1-${seconds.toString(16).padStart(8, "0")}`
}

const isId = Schema.is(MessageId)

/** Rows of `messages m` that are of this request to several. No index holds them: they are found by what their ids begin with. */
export const ofRequest = (sql: SqlClient.SqlClient, id: MessageId) =>
  sql`(m.request_id = ${id} and m.request_id <> m.id and m.id >= ${Ids.origin(id)} and m.id < ${`${Ids.origin(id)}g`})`

/**
 * What rows of `messages m` a query wants; `before` is the id of the last row of the page before. Only `enqueuedAfter`
 * bounds the ids, which prunes partitions.
 */
export const where = (sql: SqlClient.SqlClient, scope: Scope, query: MessageQuery, before: string | undefined) => {
  const {
    enqueuedAfter,
    event,
    list,
    messageId,
    notification,
    providers,
    recipient,
    statuses,
    tags,
    tenantId,
    traceId,
    userId
  } = query
  const given = <A>(value: A | undefined, condition: (value: A) => ReturnType<typeof sql.and>) =>
    value === undefined ? [] : [condition(value)]
  const some = (values: ReadonlyArray<string>) => Array.isReadonlyArrayNonEmpty(values) ? values : undefined
  return sql.and([
    sql`m.scope = ${scope}`,
    ...(query.archived ? [] : [sql`not m.archived and not ${sql.literal(isArchivedWithRequest)}`]),
    ...given(before, (id) => sql`m.id < ${id}`),
    ...given(enqueuedAfter, (at) => sql`m.id >= ${idFrom(at)} and m.enqueued_at > ${at}::float8`),
    ...given(event, (name) => sql`m.event = ${name}`),
    ...given(list, (id) => sql`m.list_id = ${id}`),
    ...given(messageId, (id) => sql`m.id = ${id}`),
    ...given(notification, (id) => sql`m.template = ${id}`),
    ...given(some(providers), (keys) => sql`m.providers && ${keys}::text[]`),
    ...given(recipient, (name) => sql`m.recipient_name = ${name}`),
    ...given(userId, (id) => sql`m.recipient_name = ${id} and m.recipient_key = ${Recipients.userKey(scope, id)}`),
    ...given(some(statuses), (names) => sql`m.status = any(${names}::text[])`),
    ...given(some(tags), (names) => sql`m.tags && ${names}::text[]`),
    ...given(tenantId, (id) => sql`m.tenant_id = ${id}`),
    ...given(
      traceId,
      (id) =>
        isId(id)
          ? sql`(m.trace_id = ${id} or (m.id = ${id} and m.request_id = ${id}) or ${ofRequest(sql, id)})`
          : sql`m.trace_id = ${id}`
    )
  ])
}

/**
 * The newest rows that a query wants, as `messages m`. Those of a list are looked for among the ids of each request that was sent to it: however
 * many messages there are besides, none of them is read.
 */
export const newest = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  query: MessageQuery,
  before: string | undefined,
  limit: number
) => {
  const wanted = where(sql, scope, query, before)
  const first = sql`order by m.id desc limit ${limit}::int`
  return query.list === undefined
    ? sql`messages m where ${wanted} ${first}`
    : sql`(select distinct left(request_id, ${Ids.originLength}::int) as origin from list_requests
        where scope = ${scope} and list_id = ${query.list}) requests
      cross join lateral (select * from messages m
        where m.id >= requests.origin and m.id < requests.origin || 'g' and ${wanted} ${first}) m ${first}`
}
