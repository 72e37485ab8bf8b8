import { wentOnForLong } from "#layers/postgres/migrations/LongRequests.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { MessageQuery } from "#src/reports/MessageLog.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import type { List } from "#src/paging/Cursor.ts"
import { Array, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

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
    // Left out if absent: cursors from before this filter existed stay valid.
    ...(query.userId === undefined ? [] : [query.userId])
  ]
})

const day = 86_400_000

/**
 * An expansion's members carry the second of their request, so an id may be this much older than its message. Of those
 * that went on for longer, as one that was resumed, `slowest` finds the first.
 */
const longestExpansion = day

/**
 * How many days back from the start of a page the first spans reach, and how many days each later one has. Nine relations
 * of each day are locked until the end of a transaction, and a database has room for 6,400 locks of all its sessions.
 */
const [soonest, soon, stride] = [2, 30, 100]

/** The ids from `from` on and before `before`; `undefined` is no bound. */
export interface Span {
  readonly from: string | undefined
  readonly before: string | undefined
}

/** The first id that a message enqueued then may have, if its request went on for no longer than most. */
export const lowest = (enqueuedAfter: number): string => Ids.from(enqueuedAfter - longestExpansion)

/** The latest and the earliest time that a date can be: beyond them an index of whole numbers cannot be asked. */
const furthest = 8.64e15

/** The first request to many that goes on, or went on for long enough after it was accepted to have messages that are enqueued then. */
export const slowest = (sql: SqlClient.SqlClient, scope: Scope, enqueuedAfter: number) => {
  const ended = Math.max(-furthest, Math.min(furthest, Math.floor(enqueuedAfter)))
  return sql`select min(id) as id from (
    select id from expansions where scope = ${scope} and ended_at >= ${ended}::bigint and id < ${lowest(enqueuedAfter)}
      and ${sql.literal(wentOnForLong)}
    union all
    select id from expansions where scope = ${scope} and due_at is not null and id < ${lowest(enqueuedAfter)}) slow`
}

/**
 * The spans of ids from `lowest` on in which a page is looked for, one after the other until it is full; those of a part
 * in one transaction. A single statement would open the partition of every day, and scan each until it finds a row there.
 * No day is older than `oldest` (epoch ms).
 */
export const spans = (
  { enqueuedAfter, messageId }: MessageQuery,
  { before, lowest, now, oldest }: {
    readonly before: string | undefined
    readonly lowest: string | undefined
    readonly now: number
    readonly oldest: number
  }
): ReadonlyArray<ReadonlyArray<Span>> => {
  const start = before === undefined ? now : Ids.secondOf(before)
  const strides = Math.max(0, Math.ceil((start - soon * day - oldest) / (stride * day)) - 1)
  const reaches = [soonest, soon, ...globalThis.Array.from({ length: strides }, (_, n) => soon + (n + 1) * stride)]
  const steps = [...reaches.map((days) => start - days * day), ...(enqueuedAfter === undefined ? [] : [enqueuedAfter])]
    .toSorted((a, b) => b - a).map(Ids.from)
    .filter((id) => messageId === undefined && id > (lowest ?? "") && id < (before ?? "2"))
  const all = [...steps, lowest].map((from, n): Span => ({ from, before: n === 0 ? before : steps[n - 1] }))
  const near = steps.filter((id) => id > Ids.from(start - (soon + stride) * day)).length + 1
  return [all.slice(0, near), ...all.slice(near).map((span) => [span])]
}

const isId = Schema.is(MessageId)

/** Rows of `messages m` whose ids begin as this one's does. Those of its request are among them, in one partition. */
export const besides = (sql: SqlClient.SqlClient, id: MessageId) =>
  sql`m.id >= ${Ids.origin(id)} and m.id < ${`${Ids.origin(id)}g`}`

/** Messages of this request to several. `request_id` has no index: they are found by how their ids begin. */
export const ofRequest = (sql: SqlClient.SqlClient, id: MessageId) =>
  sql`(m.request_id = ${id} and m.request_id <> m.id and ${besides(sql, id)})`

const given = <A, B>(value: A | undefined, condition: (value: A) => B): ReadonlyArray<B> =>
  value === undefined ? [] : [condition(value)]

/** Rows of `messages m` in a span. */
export const within = (sql: SqlClient.SqlClient, scope: Scope, { before, from }: Span) =>
  sql.and([
    sql`m.scope = ${scope}`,
    ...given(before, (id) => sql`m.id < ${id}`),
    ...given(from, (id) => sql`m.id >= ${id}`)
  ])

/** The condition for rows of `messages m` in a span that match a query. */
const where = (sql: SqlClient.SqlClient, scope: Scope, query: MessageQuery, span: Span) => {
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
  const some = (values: ReadonlyArray<string>) => Array.isReadonlyArrayNonEmpty(values) ? values : undefined
  return sql.and([
    within(sql, scope, span),
    ...(query.archived ? [] : [sql`not m.archived and not ${sql.literal(isArchivedWithRequest)}`]),
    ...given(enqueuedAfter, (at) => sql`m.enqueued_at >= ${at}::float8`),
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

/** The condition for rows of `list_requests` of a list whose messages may be in a span. */
const sent = (sql: SqlClient.SqlClient, scope: Scope, list: string, { before, from }: Span) =>
  sql.and([
    sql`scope = ${scope}`,
    sql`list_id = ${list}`,
    ...given(before, (id) => sql`request_id < ${`${id.slice(0, Ids.originLength)}g`}`),
    ...given(from, (id) => sql`request_id >= ${id.slice(0, Ids.originLength)}`)
  ])

/** What of a query an index finds; without any of it, all messages. */
export const named = ({ list, recipient, traceId, userId }: MessageQuery): MessageQuery => ({
  archived: true,
  cursor: undefined,
  enqueuedAfter: undefined,
  event: undefined,
  limit: 0,
  list,
  messageId: undefined,
  notification: undefined,
  providers: [],
  recipient,
  statuses: [],
  tags: [],
  tenantId: undefined,
  traceId,
  userId
})

/** So many rows after so many others, with these columns of `m`. */
export interface Window {
  readonly limit: number
  readonly offset?: number
  readonly columns?: string
  /** Of a list, its messages may come in about that order, so that none is read but these. */
  readonly isRough?: boolean
}

/** Whether most messages of a list may not match, and no index finds those that do. */
export const isSparse = (
  { event, notification, providers, recipient, statuses, tags, tenantId, traceId, userId }: MessageQuery
): boolean =>
  [recipient, traceId, userId].every((name) => name === undefined) &&
  ([event, notification, tenantId].some((name) => name !== undefined) ||
    [providers, statuses, tags].some((names) => names.length > 0))

/**
 * The newest rows of a span that match a query, as `messages m`. Messages of a list are looked for only among the ids
 * of the requests of the span that were sent to it, so no other message is read. Those that a trace id may mean are looked
 * for apart, each by an index of theirs: by a plan for any trace id, Postgres read all that is newer.
 */
export const newest = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  query: MessageQuery,
  span: Span,
  { columns = "*", isRough = false, limit, offset = 0 }: Window
) => {
  const { list, traceId } = query
  const first = sql`order by m.id desc limit ${limit + offset}::int`
  const part = sql`offset ${offset}::int limit ${limit}::int`
  const wanted = sql`order by m.id desc ${part}`
  const selected = sql.literal(columns)
  if (list !== undefined) {
    return sql`(select distinct left(request_id, ${Ids.originLength}::int) as origin from list_requests
        where ${sent(sql, scope, list, span)} order by origin desc) requests
      cross join lateral (select ${selected} from messages m where m.id >= requests.origin and m.id < requests.origin || 'g'
        and ${where(sql, scope, query, span)} ${first}) m ${isRough ? part : wanted}`
  }
  if (traceId === undefined || !isId(traceId)) return sql`messages m where ${where(sql, scope, query, span)} ${wanted}`
  const others = where(sql, scope, { ...query, traceId: undefined }, span)
  const some = (condition: Statement.Fragment) =>
    sql`(select ${selected} from messages m where ${others} and ${condition} ${first})`
  const isOther = sql`m.trace_id is distinct from ${traceId}`
  return sql`(${some(sql`m.trace_id = ${traceId}`)}
    union all ${some(sql`m.id = ${traceId} and m.request_id = ${traceId} and ${isOther}`)}
    union all ${some(sql`${ofRequest(sql, traceId)} and ${isOther}`)}) m ${wanted}`
}
