import type { Scope } from "#schemas/Scope.ts"
import type { List } from "#src/access/Cursor.ts"
import type { MessageQuery } from "#src/reports/MessageLog.ts"
import { Array } from "effect"
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
    query.traceId ?? null
  ]
})

/** An expansion's members carry the second of their request, so an id may be this much older than its message. */
const longestExpansion = 86_400

const idFrom = (millis: number): string => {
  const seconds = Math.min(Math.max(Math.floor(millis / 1_000) - longestExpansion, 0), 0xffff_ffff)
  return `1-${seconds.toString(16).padStart(8, "0")}`
}

/**
 * What rows of `messages m` a query wants; `before` is the id of the last row of the page before. Only `enqueuedAfter`
 * bounds the ids, which prunes partitions. A message of one recipient is its own request, and such rows are not in the
 * index of requests.
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
    traceId
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
    ...given(some(statuses), (names) => sql`m.status = any(${names}::text[])`),
    ...given(some(tags), (names) => sql`m.tags && ${names}::text[]`),
    ...given(tenantId, (id) => sql`m.tenant_id = ${id}`),
    ...given(
      traceId,
      (id) => sql`(m.trace_id = ${id} or m.id = ${id} or (m.request_id = ${id} and m.request_id <> m.id))`
    )
  ])
}
