import type { MessageDetails, ProviderDetails } from "#schemas/api/MessageDetails.ts"
import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent, HistoryType } from "#schemas/History.ts"
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

/** What the recipient did with what one call sent: the first time of each. */
type Evidence = Pick<MessageRecord, "delivered" | "opened" | "clicked">

const statusOf = ({ clicked, delivered, opened }: Evidence): ProviderDetails["status"] =>
  clicked !== undefined ? "CLICKED" : opened !== undefined ? "OPENED" : delivered !== undefined ? "DELIVERED" : "SENT"

const keyOf = ({ channel, provider }: Pick<HistoryEvent, "channel" | "provider">): string => `${channel} ${provider}`

const isTaken = ({ state }: Attempt): boolean => state === "accepted"

/**
 * Whether only the timeline tells which call the recipient's deeds belong to: the message was delivered, opened or
 * clicked, and had been accepted by more than one channel or provider.
 */
export const isAmbiguous = (
  { clicked, delivered, opened }: MessageRecord,
  attempts: ReadonlyArray<Attempt>
): boolean =>
  [clicked, delivered, opened].some((at) => at !== undefined) && new Set(attempts.filter(isTaken).map(keyOf)).size > 1

/**
 * The call that a report without a call number is credited to. Such a report comes from a link that a mail client
 * fetched, so it is the last mail, or without one what was sent last.
 */
const unnamed = (taken: ReadonlyArray<Attempt>): Attempt | undefined =>
  taken.findLast(({ channel }) => channel === "email") ?? taken.at(-1)

/**
 * What the recipient did, by the call that it is credited to. `attempts`: all that ended; `taken`: the last one of each
 * channel and provider, if it was accepted.
 */
const evidence = (
  record: MessageRecord,
  attempts: ReadonlyArray<Attempt>,
  taken: ReadonlyArray<Attempt>,
  events: ReadonlyArray<HistoryEvent>
): (attempt: Attempt) => Evidence => {
  const last = taken.at(-1)
  if (!isAmbiguous(record, taken)) return (attempt) => attempt === last ? record : nothing
  const other = unnamed(taken)
  const byNumber = new Map(attempts.map((attempt) => [attempt.number, attempt]))
  // A line of the timeline keeps its provider's name of that time; the attempt follows if the provider is renamed.
  const wayOf = (event: HistoryEvent) => keyOf(byNumber.get(event.attempt ?? 0) ?? event)
  const first = (attempt: Attempt, type: HistoryType) =>
    events.find((event) =>
      event.type === type &&
      (event.channel === undefined ? attempt === other : wayOf(event) === keyOf(attempt))
    )?.ts
  return (attempt) => ({
    delivered: first(attempt, "DELIVERED"),
    opened: first(attempt, "OPENED"),
    clicked: first(attempt, "CLICKED")
  })
}

const nothing: Evidence = { delivered: undefined, opened: undefined, clicked: undefined }

/** The outcome of the last call to one provider. */
const provider = (record: MessageRecord, attempt: Attempt, evidence: Evidence): ProviderDetails => {
  const { clicked, delivered, opened } = evidence
  return {
    channel: { key: attempt.channel, name: attempt.channel, template: record.template },
    provider: attempt.provider,
    ...(isTaken(attempt)
      ? {
        status: attempt.kind === null ? statusOf(evidence) : "UNDELIVERABLE",
        sent: attempt.endedAt ?? attempt.startedAt,
        delivered,
        opened,
        clicked,
        error: attempt.error ?? undefined
      }
      : {
        status: "UNDELIVERABLE",
        sent: undefined,
        ...nothing,
        error: attempt.error ?? attempt.kind ?? "The outcome of the call is unknown"
      }),
    reference: attempt.reference === null ? undefined : { id: attempt.reference }
  }
}

/**
 * One entry per channel and provider that was called, from its last call; calls in flight are left out. What the
 * recipient did afterwards is credited to one of them. `events`: the message's timeline, needed only if it
 * `isAmbiguous`.
 */
export const providers = (
  record: MessageRecord,
  attempts: ReadonlyArray<Attempt>,
  events: ReadonlyArray<HistoryEvent>
): ReadonlyArray<ProviderDetails> => {
  const ended = attempts.filter((attempt) => attempt.state !== "intent").toSorted((a, b) => a.number - b.number)
  const last = new Map(ended.map((attempt) => [keyOf(attempt), attempt]))
  const found = evidence(
    record,
    ended,
    [...last.values()].filter(isTaken).toSorted((a, b) => a.number - b.number),
    events
  )
  return [...last.values()].map((attempt) => provider(record, attempt, found(attempt)))
}
