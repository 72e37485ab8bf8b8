import { isArchivedWithRequest } from "#layers/postgres/messagelog/Filters.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Reason, Status } from "#schemas/Status.ts"
import * as MessageLog from "#src/reports/MessageLog.ts"
import { Schema } from "effect"

const Time = Schema.NullOr(Schema.Number)
const Text = Schema.NullOr(Schema.String)

const Row = Schema.Struct({
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
  willRetry: Schema.Boolean,
  archived: Schema.Boolean
})

/** Whether a channel of the message `m`, which another one has taken, is to be tried again: nothing in it was taken, for the provider's sake. */
const isUnfinished = `exists (select from attempts a where a.scope = m.scope and a.message_id = m.id
    and a.state in ('rejected', 'unknown') and a.kind = any('{${MessageLog.transient.join(",")}}'::text[])
    and not exists (select from attempts b
      where b.scope = m.scope and b.message_id = m.id and b.channel = a.channel and b.state = 'accepted'))`

/**
 * The columns of a record, of `messages m`; `bigint` would come as a `BigInt`. A message will be retried when it was
 * tried and has a time at which it goes on, unless it was sent and only waits to be escalated.
 */
export const columns = `m.id, m.request_id as "requestId", m.status, m.reason, m.error, m.event, m.template,
  m.recipient_name as recipient,
  case when m.recipient_key = m.scope || ':user:' || m.recipient_name then m.recipient_name end as "userId",
  m.tenant_id as "tenantId", m.tags, m.trace_id as "traceId",
  m.archived or ${isArchivedWithRequest} as archived,
  m.enqueued_at::float8 as enqueued, m.sent_at::float8 as sent, m.delivered_at::float8 as delivered,
  m.opened_at::float8 as opened, m.clicked_at::float8 as clicked, m.canceled_at::float8 as "canceledAt",
  coalesce(m.due_at > 0, false) and cardinality(m.providers) > 0
    and (m.sent_at is null or ${isUnfinished}) as "willRetry"`

export const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

export const fromRow = (row: typeof Row.Type): MessageLog.MessageRecord => ({
  ...row,
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
