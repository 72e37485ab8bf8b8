import { isArchivedWithRequest } from "#layers/postgres/messagelog/Filters.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Reason, Status } from "#schemas/Status.ts"
import * as MessageLog from "#src/reports/MessageLog.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const Time = Schema.NullOr(Schema.Number)
const Text = Schema.NullOr(Schema.String)

export const Row = Schema.Struct({
  id: MessageId,
  requestId: MessageId,
  status: Status,
  reason: Schema.NullOr(Reason),
  error: Text,
  event: Schema.String,
  template: Schema.String,
  recipient: Schema.String,
  userId: Text,
  tenantId: Text,
  tags: Schema.Array(Schema.String),
  traceId: Text,
  enqueued: Schema.Number,
  sent: Time,
  delivered: Time,
  opened: Time,
  clicked: Time,
  canceledAt: Time,
  isWaiting: Schema.Boolean,
  archived: Schema.Boolean
})

/**
 * The columns of a row of `messages m`. `bigint` is cast, since it would come as a `BigInt`. `isWaiting`: the message
 * was tried, and has a time at which it goes on.
 */
export const columns = `m.id, m.request_id as "requestId", m.status, m.reason, m.error, m.event, m.template,
  m.recipient_name as recipient,
  case when m.recipient_key = m.scope || ':user:' || m.recipient_name then m.recipient_name end as "userId",
  m.tenant_id as "tenantId", m.tags, m.trace_id as "traceId",
  m.archived or ${isArchivedWithRequest} as archived,
  m.enqueued_at::float8 as enqueued, m.sent_at::float8 as sent, m.delivered_at::float8 as delivered,
  m.opened_at::float8 as opened, m.clicked_at::float8 as clicked, m.canceled_at::float8 as "canceledAt",
  coalesce(m.due_at > 0, false) and cardinality(m.providers) > 0 as "isWaiting"`

export const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: MessageId })))

/**
 * Which of these messages, sent over one channel already, have another channel that will be tried again: one that has
 * accepted nothing, and failed for a transient reason, or its call was not made after all.
 */
const unfinished = `select distinct a.message_id as id from attempts a
  where a.scope = $1 and a.message_id = any($2::text[]) and a.message_id between $3 and $4
    and a.state in ('rejected', 'unknown') and (a.kind is null or a.kind = any($5::text[]))
    and not exists (select from attempts b where b.scope = a.scope and b.message_id = a.message_id
      and b.message_id between $3 and $4 and b.channel = a.channel and b.state = 'accepted')`

const fromRow = ({ isWaiting, ...row }: typeof Row.Type, isUnfinished: boolean): MessageLog.MessageRecord => ({
  ...row,
  willRetry: isWaiting && (row.sent === null || isUnfinished),
  reason: row.reason ?? undefined,
  error: row.error ?? undefined,
  userId: row.userId ?? undefined,
  tenantId: row.tenantId ?? undefined,
  traceId: row.traceId ?? undefined,
  sent: row.sent ?? undefined,
  delivered: row.delivered ?? undefined,
  opened: row.opened ?? undefined,
  clicked: row.clicked ?? undefined,
  canceledAt: row.canceledAt ?? undefined
})

/**
 * The records of decoded rows with `columns`. A waiting message will be retried, unless it was sent already and only waits
 * for its escalation. Those few are checked in a second statement, which opens only the partitions of their own days.
 */
export const of = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(scope: Scope, rows: ReadonlyArray<typeof Row.Type>) {
    const ids = rows.flatMap(({ id, isWaiting, sent }) => isWaiting && sent !== null ? [id] : []).toSorted()
    const found = ids.length === 0 ? [] : yield* Effect.flatMap(
      sql.unsafe(unfinished, [scope, ids, ids[0], ids.at(-1), MessageLog.transient]),
      decodeIds
    )
    const open = new Set(found.map(({ id }) => id))
    return rows.map((row) => fromRow(row, open.has(row.id)))
  })
