import type { MessageDetails, ProviderDetails } from "#schemas/api/MessageDetails.ts"
import type { Attempt } from "#schemas/Attempt.ts"
import type { MessageRecord } from "#src/reports/MessageLog.ts"

/** A message as callers see it. */
export const details = (record: MessageRecord): MessageDetails => ({
  id: record.id,
  status: record.status,
  enqueued: record.enqueued,
  event: record.event,
  notification: record.template,
  recipient: record.recipient,
  sent: record.sent,
  delivered: record.delivered,
  opened: record.opened,
  clicked: record.clicked,
  canceledAt: record.canceledAt,
  reason: record.reason,
  error: record.error,
  requestId: record.requestId,
  tenant_id: record.tenantId,
  metadata: { tags: record.tags, trace_id: record.traceId },
  willRetry: record.willRetry,
  archived: record.archived
})

const evidence = (record: MessageRecord): ProviderDetails["status"] =>
  record.clicked !== undefined
    ? "CLICKED"
    : record.opened !== undefined
    ? "OPENED"
    : record.delivered !== undefined
    ? "DELIVERED"
    : "SENT"

/**
 * What the last call to one provider became; what the recipient did afterwards is told of the provider that sent last.
 */
const provider = (record: MessageRecord, attempt: Attempt, isLastSent: boolean): ProviderDetails => ({
  channel: { key: attempt.channel, name: attempt.channel, template: record.template },
  provider: attempt.provider,
  ...(attempt.state === "accepted"
    ? {
      status: attempt.kind === null ? isLastSent ? evidence(record) : "SENT" : "UNDELIVERABLE",
      sent: attempt.endedAt ?? attempt.startedAt,
      delivered: isLastSent ? record.delivered : undefined,
      opened: isLastSent ? record.opened : undefined,
      clicked: isLastSent ? record.clicked : undefined,
      error: attempt.error ?? undefined
    }
    : {
      status: "UNDELIVERABLE",
      sent: undefined,
      delivered: undefined,
      opened: undefined,
      clicked: undefined,
      error: attempt.error ?? attempt.kind ?? "The outcome of the call is unknown"
    }),
  reference: attempt.reference === null ? undefined : { id: attempt.reference }
})

/** One entry per channel and provider that was called, by its last call; a call in flight has none yet. */
export const providers = (
  record: MessageRecord,
  attempts: ReadonlyArray<Attempt>
): ReadonlyArray<ProviderDetails> => {
  const ended = attempts.filter((attempt) => attempt.state !== "intent").toSorted((a, b) => a.number - b.number)
  const last = new Map(ended.map((attempt) => [`${attempt.channel} ${attempt.provider}`, attempt]))
  const lastSent = ended.findLast((attempt) => attempt.state === "accepted")
  return [...last.values()].map((attempt) => provider(record, attempt, attempt === lastSent))
}
