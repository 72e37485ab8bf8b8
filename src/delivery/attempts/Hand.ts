import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Breakers } from "#src/delivery/attempts/Breakers.ts"
import * as Circuit from "#src/delivery/attempts/Circuit.ts"
import type { Complaint } from "#src/delivery/attempts/Complaints.ts"
import type { RateGates } from "#src/delivery/attempts/RateGates.ts"
import type { Candidate, Plan } from "#src/delivery/attempts/Plan.ts"
import * as Escalation from "#src/delivery/attempts/Escalation.ts"
import type { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { InboxItem, Step, StepResult } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import type { DeadAddress } from "#src/delivery/pipeline/DeadAddresses.ts"
import { type Ending, endingOf, type Journey } from "#src/delivery/pipeline/Journey.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import type { Outgoing } from "#src/delivery/attempts/Outgoing.ts"
import type { Position } from "#src/delivery/attempts/position/Situation.ts"
import { added, settle } from "#src/delivery/attempts/Settlement.ts"
import type { Write } from "#src/delivery/journal/Write.ts"
import { type Called, isSame, type Ticket } from "#src/delivery/Provider.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Effect } from "effect"

const settling = Trace.stage("settle")

/** The line of a rendering. */
export type Showing = HistoryEvent & { readonly channel: string; readonly output: Rendered }

interface SentAway extends Called {
  readonly until: number
  readonly comesBack: () => void
}

/**
 * A message in hand: its attempts as they stand, and (`events`) the lines that its next step has to take along. It is
 * as small as it can be, since a thousand messages wait for their commits at once.
 */
export interface Hand {
  readonly journey: Journey
  /** What is left of the journey's. */
  plan: Plan
  readonly write: Write
  readonly breakers: Breakers["Service"]
  readonly gates: RateGates["Service"]
  readonly complain: (complaint: Complaint) => Effect.Effect<void>
  readonly spare: FirstSteps["Service"]["spare"]
  readonly outgoing: Outgoing
  /** What each channel was given to show last. */
  shown: ReadonlyArray<Showing>
  attempts: ReadonlyArray<Attempt>
  events: ReadonlyArray<HistoryEvent>
  routed: boolean
  /** Of the last call, until its outcome is written. */
  tickets: ReadonlyArray<Ticket> | undefined
  /** The address that the last call's provider says is dead, until that is told. */
  dead: DeadAddress | undefined
  /** The addresses of which this run has heard that they are dead. */
  suppressed: Suppressed.Suppressed
  /** As it stands after the last call: receipts may come while a call is under way. */
  escalation: Escalation.Escalation | undefined
  /** The providers whose rate gates have sent it away, and until when, in epoch ms. */
  sentAway: ReadonlyArray<SentAway>
}

/** What the messages in hand share. */
export type Means = Pick<Hand, "breakers" | "complain" | "gates" | "outgoing" | "spare" | "write">

/** A message at the begin of its run. */
export const make = (journey: Journey, means: Means): Hand => ({
  ...means,
  journey,
  plan: journey.plan,
  shown: [],
  attempts: journey.message.attempts,
  events: journey.events,
  routed: journey.message.attempts.length > 0,
  tickets: undefined,
  dead: undefined,
  suppressed: Suppressed.none,
  escalation: journey.situation.escalation,
  sentAway: []
})

const awayFrom = ({ sentAway }: Hand, candidate: Candidate): SentAway | undefined =>
  sentAway.findLast((one) => isSame(one, candidate))

/** Whether the provider's rate gate has sent the message away in this run, though it may come back by now. */
export const isSentAway = (hand: Hand, candidate: Candidate): boolean => awayFrom(hand, candidate) !== undefined

/**
 * Epoch ms until which a candidate is left alone, by all messages or by this one; `undefined`: it is not. A message does
 * not go back to a provider that has sent it away while another does: going from one to the other, it would hold up its
 * recipient's others.
 */
export const openUntil = (hand: Hand, candidate: Candidate): number | undefined => {
  const open = Circuit.openUntil(hand.breakers, hand.journey, candidate)
  return isSentAway(hand, candidate) ? Math.max(open ?? 0, ...hand.sentAway.map(({ until }) => until)) : open
}

/** Whether nothing but its crowded rate gate keeps a candidate from being called. */
export const isCrowded = (hand: Hand, candidate: Candidate): boolean =>
  isSentAway(hand, candidate) && Circuit.openUntil(hand.breakers, hand.journey, candidate) === undefined

/** The message waits until a candidate may be called, and goes to no other meanwhile. */
export const comesBack = (hand: Hand, candidate: Candidate): void => awayFrom(hand, candidate)?.comesBack()

/** Why a message waits for a provider that it would call by now. */
export const whyLeftAlone = (hand: Hand, candidate: Candidate): string =>
  awayFrom(hand, candidate) === undefined
    ? "The provider failed too often and is left alone for a while"
    : "The provider takes no more for now"

export const positionAt = (hand: Hand, now: number): Position =>
  position(hand.plan, hand.attempts, {
    ...hand.journey.situation,
    escalation: hand.escalation,
    openUntil: (candidate) => openUntil(hand, candidate),
    isCrowded: (candidate) => isCrowded(hand, candidate),
    now
  })

/**
 * Whether a provider took the message and it has not bounced: a call that bounced leaves its message as open as it was.
 */
export const isHandedOver = (attempts: ReadonlyArray<Attempt>): boolean =>
  attempts.some(({ kind, state }) => state === "accepted" && kind === null)

export const written = (hand: Hand): void => {
  hand.events = []
  hand.tickets = undefined
  hand.routed = true
}

const count = (attempt: Attempt): Effect.Effect<void> => {
  const { channel, provider, state } = attempt
  const counted = Metrics.update(Metrics.attempts({ provider, channel, outcome: Outcome.word(attempt) }), 1)
  return state === "unknown" ? Effect.andThen(counted, Metrics.update(Metrics.unknownOutcomes, 1)) : counted
}

/**
 * Tells operators what became of an attempt once that is written (`result`). What a stale owner could not write is
 * counted by its successor.
 */
export const counted = (attempt: Attempt | undefined, result: StepResult): Effect.Effect<void> =>
  attempt === undefined || result._tag === "Fenced" ? Effect.void : count(attempt)

/**
 * Whether a message whose call was not answered is not to go on, since a receipt has come by then: it may be that of the
 * call, which keeps what was told of it (`Evidence`).
 */
const isHeardOf = ({ state }: Attempt, result: StepResult): boolean =>
  state === "unknown" && result._tag === "Written" && result.stirred === undefined &&
  Lifecycle.isHeardOf(result.status)

/** The message's row is as due as it was. */
export const asDue = ({ journey: { message } }: Hand): Ending => ({ _tag: "Waiting", dueAt: message.dueAt })

/**
 * Gives a message back whose run ends before a step of its own that would clear its count of tries: this one is not
 * counted, since the process lives. A call of this run has cleared it.
 */
export const giveBack = (hand: Hand): Effect.Effect<Ending> => {
  const { journey: { epoch, message }, write } = hand
  const { dueAt, recovered, tries } = message
  if (!recovered || hand.attempts.length > message.attempts.length) return Effect.succeed(asDue(hand))
  const step = { message, epoch, lifecycle: [], conditional: true, tries: Math.max(0, tries - 1), events: [] }
  return Effect.flatMap(
    Clock.currentTimeMillis,
    (at) => Effect.map(write({ ...step, at }), (result) => endingOf(result, dueAt))
  )
}

/** The message is read again at once, with its calls as they are stored, also where the step has it wait. */
const readAgain = (hand: Hand, { at, dueAt, epoch, tries }: Step): Effect.Effect<Ending> => {
  if (typeof dueAt !== "number") return tries === undefined ? giveBack(hand) : Effect.succeed(asDue(hand))
  const message = { ...hand.journey.message, dueAt }
  return Effect.map(
    hand.write({ message, epoch, at, lifecycle: [], conditional: true, dueAt: at, events: [] }),
    (result) => endingOf(result, at)
  )
}

/** Writes an attempt's outcome together with what it means for the message. */
export const conclude = (
  hand: Hand,
  attempt: Attempt,
  lines: ReadonlyArray<HistoryEvent>,
  { inbox, orphaned = false }: { readonly inbox?: InboxItem; readonly orphaned?: boolean } = {}
): Effect.Effect<Ending | undefined> =>
  Effect.suspend(() => {
    const now = attempt.endedAt ?? attempt.startedAt
    const earlier = hand.attempts.filter(({ number }) => number !== attempt.number)
    hand.attempts = added(earlier, attempt)
    const step = settle({
      message: hand.journey.message,
      epoch: hand.journey.epoch,
      routed: hand.routed,
      handedOver: isHandedOver(earlier),
      attempt,
      after: positionAt(hand, now),
      now,
      lines: [...hand.events, ...lines],
      inbox,
      tickets: hand.tickets,
      // With lines, no intent was written before: this step is the first of the attempt, and must find the message
      // open.
      conditional: lines.length > 0,
      orphaned
    })
    return Effect.flatMap(settling(hand.write(step)), (result) => {
      written(hand)
      if (result._tag === "Written" && hand.escalation !== undefined) {
        hand.escalation = Escalation.of(hand.journey.message.instructions, result.status)
      }
      const goesOn = step.dueAt === undefined && result._tag === "Written" && result.stirred === undefined
      const ending = step.dueAt !== null && isHeardOf(attempt, result)
        ? readAgain(hand, step)
        : Effect.succeed(goesOn ? undefined : endingOf(result, step.dueAt ?? null))
      return Effect.andThen(counted(attempt, result), ending)
    })
  })

/**
 * Stores that the message waits until `dueAt`, for a reason (`error`) that is no attempt of this run. The lines of its
 * first step are not written yet; until they are, a RETRYING line tells what is waited for.
 */
export const wait = Effect.fnUntraced(function*(
  { journey: { epoch, message }, write }: Hand,
  at: number,
  { candidate: { channel, provider }, dueAt, error }: {
    readonly candidate: Called
    readonly dueAt: number
    readonly error: string
  }
): Effect.fn.Return<Ending> {
  const isTold = message.dueAt > 0 || message.attempts.length > 0
  const events = isTold ? [] : [{ type: "RETRYING" as const, ts: at, channel, provider, error, dueAt }]
  const result = yield* write({ message, epoch, at, lifecycle: [], conditional: true, dueAt, tries: 0, events })
  return endingOf(result, dueAt)
})
