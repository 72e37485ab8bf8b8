import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Reason } from "#schemas/Status.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import type { InboxItem, Step } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Position } from "#src/delivery/attempts/position/Situation.ts"
import type { Ticket } from "#src/delivery/Provider.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"

/** The events that bring a message from where it was accepted or delayed to a provider. */
export const towardsProvider = (message: Pick<OpenMessage, "status">): ReadonlyArray<Lifecycle.Event> => {
  if (message.status === "DELAYED") return ["Due", "Route"]
  return message.status === "ENQUEUED" ? ["Route"] : []
}

export const reasonOf = (attempt: Attempt | undefined): Reason => {
  switch (attempt?.kind) {
    case "RecipientRejected":
      return "BOUNCED"
    case "Misconfigured":
      return "PROVIDER_ERROR"
    case "Unknown":
      return "PROVIDER_OUTCOME_UNKNOWN"
    default:
      return "FAILED"
  }
}

/**
 * An attempt that ended here clears the count of tries. One that an earlier owner left open does not, since that owner
 * may have died of it: the count goes back to what it was before this step began, or stays as it is if the run goes on.
 */
const triesAfter = (message: OpenMessage, orphaned: boolean, ends: boolean): number | undefined => {
  if (!message.recovered) return undefined
  if (!orphaned) return 0
  return ends ? Math.max(0, message.tries - 1) : undefined
}

/**
 * The list and one more. Most of these lists are empty, and a list made by a spread has room for seventeen: too much for
 * what a thousand messages in hand hold.
 */
export const added = <A>(list: ReadonlyArray<A>, one: A): ReadonlyArray<A> => list.length === 0 ? [one] : [...list, one]

/** The part of a message's past that decides what an outcome means for it. */
interface Past {
  readonly message: Pick<OpenMessage, "status">
  /** A step of it is written. */
  readonly routed: boolean
  /** An earlier call was taken. */
  readonly handedOver: boolean
}

/** Whether the message is past being sent: it was handed over before, or a receipt has told more of it since. */
const isBeyond = ({ handedOver, message }: Past): boolean => handedOver || !Lifecycle.isOpen(message.status)

const before = ({ message, routed }: Past): ReadonlyArray<Lifecycle.Event> => routed ? [] : towardsProvider(message)

/** The events that end a message that was handed over, and that nobody has: a bounce, if its status allows that. */
const bouncing = ({ status }: Past["message"]): ReadonlyArray<Lifecycle.Event> =>
  Lifecycle.allows(status, "Bounce") ? ["Bounce"] : []

/** The events that end a message of which nothing is left to try. */
export const failing = (past: Past): ReadonlyArray<Lifecycle.Event> =>
  isBeyond(past) ? bouncing(past.message) : [...before(past), "Undeliver"]

/**
 * The events that end a message when a stage of the pipeline refuses it. For one that was handed over already there are
 * none: what is left of its plan ends with a line in the timeline only, unless all of its calls have failed or bounced.
 */
export const refusing = (
  message: Pick<OpenMessage, "attempts" | "status">,
  refusal: Lifecycle.Event
): ReadonlyArray<Lifecycle.Event> => {
  if (Lifecycle.isOpen(message.status)) return [...towardsProvider(message).filter((event) => event === "Due"), refusal]
  const isLost = message.attempts.every(({ kind, state }) => state === "rejected" || kind === "RecipientRejected")
  return isLost ? bouncing(message) : []
}

const sending = (past: Past): ReadonlyArray<Lifecycle.Event> => isBeyond(past) ? [] : added(before(past), "Send")

/** What an attempt's outcome means for its message: pure, from the position that the plan has after it. */
export const settle = (
  input: Past & {
    readonly message: OpenMessage
    readonly epoch: number
    readonly attempt: Attempt
    readonly after: Position
    readonly now: number
    /** Lines that go before its own. */
    readonly lines: ReadonlyArray<HistoryEvent>
    readonly inbox: InboxItem | undefined
    readonly tickets?: ReadonlyArray<Ticket> | undefined
    readonly conditional: boolean
    /** The attempt is an earlier owner's, who stopped before its outcome was known. */
    readonly orphaned: boolean
  }
): Step => {
  const { after, attempt, message, now } = input
  const accepted = attempt.state === "accepted"
  const failed = after._tag === "Failed"
  const waits = after._tag === "Next" && after.at - now > shortWait ? after.at : undefined
  const dueAt = after._tag === "Next" ? waits : null
  const where = { channel: attempt.channel, provider: attempt.provider, attempt: attempt.number }
  const error = attempt.error ?? undefined
  const outcome: HistoryEvent = accepted
    ? {
      type: "SENT",
      ts: now,
      ...where,
      ...(attempt.reference === null ? {} : { reference: attempt.reference }),
      ...(waits === undefined ? {} : { dueAt: waits })
    }
    : {
      // Also of a channel that is given up while another one has taken the message.
      type: after._tag === "Next" ? "RETRYING" : "UNDELIVERABLE",
      ts: now,
      ...where,
      outcome: Outcome.word(attempt),
      ...(failed ? { reason: reasonOf(attempt) } : {}),
      ...(error === undefined ? {} : { error }),
      ...(waits === undefined ? {} : { dueAt: waits })
    }
  return {
    message,
    epoch: input.epoch,
    at: now,
    attempt,
    lifecycle: failed ? failing(input) : accepted ? sending(input) : before(input),
    conditional: input.conditional,
    reason: failed ? reasonOf(attempt) : undefined,
    error: failed ? error : undefined,
    dueAt,
    tries: triesAfter(message, input.orphaned, typeof dueAt === "number"),
    events: added(input.lines, outcome),
    inbox: input.inbox,
    tickets: input.tickets
  }
}
