import { fraction, refusal } from "#layers/memory/journal/Columns.ts"
import {
  findMessage,
  hasTickets,
  type MessageRow,
  putInbox,
  putMessage,
  putTickets,
  type State,
  type StoredAttempt,
  type StoredEvents
} from "#layers/memory/State.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import type { Attempt } from "#schemas/Attempt.ts"
import type { Status } from "#schemas/Status.ts"
import type { RowRefused, Step } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { unmarked } from "#src/reports/Inbox.ts"
import { firstAsked } from "#src/reports/PushTickets.ts"
import { HashMap, Option } from "effect"

/** What a step did; the journal adds the time of the commit. */
type Recorded =
  | { readonly _tag: "Written"; readonly status: Status; readonly stirred?: number }
  | { readonly _tag: "Refused" }
  | { readonly _tag: "Fenced" }

/** Why the database would refuse the rows of this step. */
export const refused = ({ at, attempt, dueAt, error, inbox, message }: Step): RowRefused | undefined =>
  fraction([
    at,
    dueAt,
    attempt?.startedAt,
    attempt?.endedAt,
    attempt?.retryAfter,
    inbox?.createdAt,
    inbox?.expiresAt
  ]) ?? refusal([
    error,
    attempt?.channel,
    attempt?.provider,
    attempt?.reference,
    attempt?.error,
    inbox?.userId,
    inbox?.tenantId,
    message.recipient?.tenant_id ?? undefined,
    message.templateId
  ])

/** Whether the attempt of this very step is stored: then it was committed before, and its answer was lost. */
const isRepeat = (row: MessageRow, { attempt, epoch }: Step): boolean => {
  if (attempt === undefined) return false
  const stored = row.attempts.find((other) => other.number === attempt.number)
  return stored !== undefined && stored.epoch === epoch && stored.startedAt === attempt.startedAt &&
    (attempt.state === "intent" || stored.state === attempt.state)
}

/** Whether the timeline's lines of this attempt's outcome are stored, as its owner wrote them. */
const isTold = ({ history }: MessageRow, { number }: Attempt): boolean =>
  history.some(({ key }) => {
    const [, of, state = ""] = key.split(":")
    return of === String(number) && ["accepted", "rejected", "unknown"].includes(state)
  })

/**
 * Adds a new attempt in its place, or completes a stored intent with the outcome. A stored outcome stays, except that
 * one which a receipt proved, without a reference, takes the reference.
 */
const withAttempt = (
  row: MessageRow,
  attempt: Attempt | undefined,
  epoch: number
): ReadonlyArray<StoredAttempt> => {
  const { attempts } = row
  if (attempt === undefined) return attempts
  const stored = attempts.find((other) => other.number === attempt.number)
  if (stored === undefined) return [...attempts, { ...attempt, epoch }].toSorted((a, b) => a.number - b.number)
  if (attempt.state === "intent" || (stored.state !== "intent" && isTold(row, attempt))) return attempts
  const { endedAt, error, kind, retryAfter, state } = attempt
  const reference = stored.reference ?? attempt.reference
  const settled = stored.state === "intent"
    ? { ...stored, state, kind, endedAt, retryAfter, reference, error }
    : { ...stored, reference }
  return attempts.map((other) => other === stored ? settled : other)
}

export const withEvents = (
  history: ReadonlyArray<StoredEvents>,
  entry: StoredEvents
): ReadonlyArray<StoredEvents> =>
  entry.events.length === 0 || history.some((other) => other.key === entry.key) ? history : [...history, entry]

/** The lines of a step, without a rendering that is equal to the last one of its channel. */
const linesOf = ({ history }: MessageRow, { events }: Step): Step["events"] => {
  const before = history.flatMap((stored) => stored.events)
  return events.filter(({ channel, output }) =>
    output === undefined ||
    JSON.stringify(before.findLast((line) => line.output !== undefined && line.channel === channel)?.output) !==
      JSON.stringify(output)
  )
}

const keyOf = ({ at, attempt, lifecycle }: Step): string =>
  `${at}:${attempt?.number ?? 0}:${attempt?.state ?? "begin"}:${lifecycle.join()}`

const dueAfter = (row: MessageRow, { dueAt, message }: Step): number | undefined => {
  if (row.dueAt === undefined || row.dueAt !== message.dueAt) return row.dueAt
  return dueAt === null ? undefined : dueAt ?? row.dueAt
}

/** The answer to a step that is written, of a message that is due at this time by now. */
const written = (status: Status, dueAt: number | undefined, step: Step): Recorded =>
  dueAt === undefined || dueAt === (step.dueAt ?? step.message.dueAt)
    ? { _tag: "Written", status }
    : { _tag: "Written", status, stirred: dueAt }

const providersAfter = ({ providers }: MessageRow, provider: string | undefined): ReadonlyArray<string> =>
  provider === undefined || providers.includes(provider) ? providers : [...providers, provider]

const withInbox = (state: State, { inbox, message: { id, scope } }: Step): State => {
  if (inbox === undefined) return state
  const { userId, ...item } = inbox
  return putInbox(state, scope, userId, { ...item, ...unmarked, messageId: id })
}

const withTickets = (state: State, { at, attempt, message: { id, scope }, tickets }: Step): State => {
  if (tickets === undefined || attempt === undefined) return state
  const { number, provider } = attempt
  const row = { scope, messageId: id, attempt: number, provider, tickets, reached: false, sentAt: at }
  return hasTickets(state, row) ? state : putTickets(state, [{ ...row, dueAt: at + firstAsked }])
}

const write = (state: State, row: MessageRow, step: Step): readonly [Recorded, State] => {
  const { at, lifecycle, reason } = step
  const moves = lifecycle.length > 0 && Lifecycle.sources(lifecycle).includes(row.status)
  const status = moves ? Lifecycle.target(lifecycle) ?? row.status : row.status
  const first = (event: Lifecycle.Event, before: number | undefined) =>
    before ?? (lifecycle.includes(event) ? at : undefined)
  const dueAt = dueAfter(row, step)
  const next = putMessage(state, {
    ...row,
    status,
    reason: moves ? reason ?? row.reason : row.reason,
    error: moves ? step.error : row.error,
    dueAt,
    tries: step.tries ?? row.tries,
    template: step.message.templateId ?? row.template,
    tenantId: row.tenantId ?? step.message.recipient?.tenant_id ?? undefined,
    sent: first("Send", row.sent),
    delivered: first("Deliver", row.delivered),
    opened: first("Open", row.opened),
    clicked: first("Click", row.clicked),
    canceledAt: first("Cancel", row.canceledAt),
    providers: providersAfter(row, step.attempt?.provider),
    attempts: withAttempt(row, step.attempt, step.epoch),
    history: withEvents(row.history, { key: keyOf(step), events: linesOf(row, step) })
  })
  const told = Told.message(next, row, { ...row, status }, at, at)
  return [written(status, dueAt, step), withTickets(withInbox(told, step), step)]
}

/** One step: fenced, refused, a repeat that changes nothing, or written whole. */
export const record = (state: State, step: Step): readonly [Recorded, State] => {
  const { id, scope, shard } = step.message
  const epoch = Option.getOrUndefined(HashMap.get(state.epochs, shard))
  if (epoch !== step.epoch) return [{ _tag: "Fenced" }, state]
  const row = findMessage(state, scope, id)
  if (row === undefined) return [{ _tag: "Refused" }, state]
  if (step.conditional) {
    if (isRepeat(row, step)) return [written(row.status, row.dueAt, step), state]
    const from = step.from ?? Lifecycle.sources(step.lifecycle)
    if (row.dueAt === undefined || !from.includes(row.status)) return [{ _tag: "Refused" }, state]
  }
  return write(state, row, step)
}
