import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent, HistoryType } from "#schemas/History.ts"
import type { Status } from "#schemas/Status.ts"
import { details, isAmbiguous, providers } from "#src/reports/MessageDetails.ts"
import type { MessageRecord, Snapshot } from "#src/reports/MessageLog.ts"

/** How far a message had come that was on its way. */
const progress: Partial<Record<Status, number>> = {
  ENQUEUED: 0,
  DELAYED: 0,
  ROUTED: 0,
  SENT: 1,
  DELIVERED: 2,
  OPENED: 3,
  CLICKED: 4
}

/** A message got this status, which was stored at `storedAt` (epoch ms). */
interface Update {
  readonly status: Status
  readonly storedAt: number
}

/**
 * Whether what a message comes to as the `step`-th had happened by then. A step that it skipped may be told of later
 * (a late receipt); its own status it has, whatever the clock of who told of it says.
 */
const hadCome = ({ status, storedAt }: Update, step: number, time: number): boolean => {
  const reached = progress[status]
  return step === reached || (time <= storedAt && (reached === undefined || step < reached))
}

const recordThen = (record: MessageRecord, update: Update): MessageRecord => {
  const then = (step: number, time: number | undefined) =>
    time !== undefined && hadCome(update, step, time) ? time : undefined
  const isStill = record.status === update.status
  return {
    ...record,
    status: update.status,
    sent: then(1, record.sent),
    delivered: then(2, record.delivered),
    opened: then(3, record.opened),
    clicked: then(4, record.clicked),
    canceledAt: update.status === "CANCELED" ? record.canceledAt : undefined,
    reason: isStill ? record.reason : undefined,
    error: isStill ? record.error : undefined,
    willRetry: false
  }
}

/**
 * The calls that had ended: none before a message was sent, since it is routed but once, with its first call. One that
 * bounced later had not yet, if the message was on its way.
 */
const attemptsThen = (attempts: ReadonlyArray<Attempt>, { status, storedAt }: Update): ReadonlyArray<Attempt> =>
  attempts.filter(({ endedAt }) => endedAt !== null && endedAt <= storedAt && progress[status] !== 0)
    .map((attempt) =>
      attempt.state === "accepted" && progress[status] !== undefined
        ? { ...attempt, kind: null, error: null }
        : attempt
    )

const steps: Partial<Record<HistoryType, number>> = { DELIVERED: 2, OPENED: 3, CLICKED: 4 }

/**
 * The lines that there were: of two channels, one may tell later what the other told before. Its own status it has by
 * the first line of it.
 */
const timelineThen = (timeline: ReadonlyArray<HistoryEvent>, update: Update): ReadonlyArray<HistoryEvent> => {
  const own = timeline.find(({ type }) => type === update.status)
  return timeline.filter((line) => {
    const step = steps[line.type]
    return step === undefined || line === own || (line.ts <= update.storedAt && hadCome(update, step, line.ts))
  })
}

/** Whether `data` needs the message's timeline. */
export const needsTimeline = ({ attempts, record }: Snapshot, update: Update): boolean =>
  isAmbiguous(recordThen(record, update), attemptsThen(attempts, update))

/**
 * What webhooks are told of a message that got a status: the message as `GET /messages/:id` showed it then, whatever has
 * become of it since, and `recipientId` (api.md 25.1).
 */
export const data = ({ attempts, record }: Snapshot, update: Update, timeline: ReadonlyArray<HistoryEvent>) => {
  const then = recordThen(record, update)
  return {
    ...details(then),
    providers: providers(then, attemptsThen(attempts, update), timelineThen(timeline, update)),
    recipientId: record.recipient
  }
}
