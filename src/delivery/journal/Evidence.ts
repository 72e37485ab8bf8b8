import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Status } from "#schemas/Status.ts"
import type { Observation, Observed } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { isSame } from "#src/delivery/Provider.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"

/** What an event is compared with of a stored provider call. */
export type Call = Pick<
  Attempt,
  "number" | "channel" | "provider" | "state" | "kind" | "startedAt" | "endedAt" | "reference"
>

/** What the row of a call becomes when an event proves that the vendor took it, or that it bounced later. */
export type Proof = Pick<Attempt, "number" | "kind" | "reference" | "endedAt" | "error">

/** A message as an event finds it. */
export interface Stored {
  readonly status: Status
  readonly calls: ReadonlyArray<Call>
  /** The event was stored before, so it changes nothing. */
  readonly repeated: boolean
  /** Epoch ms of its next step, as its owner is to read it; 0: at once; `undefined`: it is closed. */
  readonly dueAt: number | undefined
}

/** What an event from the second door (`Journal.observe`) changes; what it leaves as it is, is absent. */
export interface Verdict {
  readonly observation: Observation
  readonly history: HistoryEvent | undefined
  readonly proof: Proof | undefined
  /** Epoch ms at which the provider took the proven call, if that was not known before. */
  readonly sentAt: number | undefined
  /**
   * The message's new due time, in epoch ms. It always differs from the stored one: by that, an owner that has the
   * message in hand learns of the event (`Step.message`).
   */
  readonly dueAt: number | undefined
  /** Whether its reader has seen elsewhere what is in the in-app inbox too: there it counts as read (api.md 25.2). */
  readonly isReadElsewhere: boolean
}

const isOpen = ({ state }: Call): boolean => state === "intent" || state === "unknown"

/**
 * The call that an open or a click is evidence for: whoever opened or clicked something has received it. That is one of
 * its channel, if that is told, else a mail, if any was sent: the last one that is known as accepted, of which nothing
 * is proved; else the last one without an outcome.
 */
const opened = (calls: ReadonlyArray<Call>, { event, history }: Observed): Call | undefined => {
  if (event !== "Open" && event !== "Click") return undefined
  const likely = calls.filter(({ channel }) => channel === (history.channel ?? "email"))
  const own = likely.length > 0 || history.channel !== undefined ? likely : calls
  return own.findLast(({ state }) => state === "accepted") ?? own.findLast(isOpen)
}

/**
 * The call that an event means: the one with our attempt number; else the one with the vendor's reference, which is
 * found even if the provider's alias has changed since; else that provider's last call without an outcome, else its
 * last accepted one.
 */
const meant = (calls: ReadonlyArray<Call>, observed: Observed): Call | undefined => {
  const { call } = observed
  if (call === undefined) return opened(calls, observed)
  const own = calls.filter(({ provider }) => call.providers.includes(provider))
  return calls.find(({ number }) => number === call.number) ??
    [...own, ...calls].find(({ reference }) => reference !== null && reference === call.reference) ??
    own.findLast(isOpen) ??
    own.findLast(({ state }) => state === "accepted")
}

/** Whether an event is of a provider that the message was never given to: then it tells nothing of the message. */
const isStranger = (calls: ReadonlyArray<Call>, { call }: Observed, found: Call | undefined): boolean =>
  call !== undefined && found === undefined && !calls.some(({ provider }) => call.providers.includes(provider))

/**
 * Whether another channel or provider has taken the message too, and that has not bounced: then it is not undeliverable
 * yet (api.md 26.2).
 */
const livesOn = (calls: ReadonlyArray<Call>, bounced: Call | undefined): boolean =>
  bounced !== undefined &&
  calls.some((other) => !isSame(other, bounced) && other.state === "accepted" && other.kind === null)

/** The entry of a call's receipt, never dated before the call: many providers tell the time in whole seconds. */
const entryOf = ({ channel, endedAt, number, provider, startedAt }: Call, history: HistoryEvent): HistoryEvent => ({
  ...history,
  ts: Math.max(history.ts, endedAt ?? startedAt),
  channel,
  provider,
  attempt: number
})

/**
 * What an event proves of its call, if that is news. A bounce that does not count for the message, as after an open,
 * does not count for the call either, unless the message may have been opened elsewhere.
 */
const proves = (
  { calls, status }: Stored,
  call: Call | undefined,
  { call: named, event }: Observed,
  entry: HistoryEvent
): Proof | undefined => {
  if (call === undefined) return undefined
  const bounced = event === "Bounce" &&
    (Lifecycle.allows(status, event) || (Lifecycle.isHeardOf(status) && livesOn(calls, call)))
  const isNews = isOpen(call) || (call.state === "accepted" && call.kind === null && bounced)
  return isNews
    ? {
      number: call.number,
      kind: bounced ? "RecipientRejected" : null,
      reference: call.reference ?? named?.reference ?? null,
      endedAt: call.endedAt ?? entry.ts,
      error: bounced ? entry.error ?? null : null
    }
    : undefined
}

/**
 * The message's new due time if something was learnt of a call, since that changes the message's place in its plan. If
 * it waits for more than a moment, it is due now. Else its owner may have it in hand, by a clock that is a little ahead,
 * and has not seen the event: it is due again, and looked at once more. That time only grows, since several events in
 * one ms could else bring back the time that the owner has read. An owner does not have to look again if its call in
 * flight was taken, which it is about to hear itself. Times in epoch ms.
 */
const stirred = (
  dueAt: number | undefined,
  call: Call | undefined,
  proof: Proof | undefined,
  now: number
): number | undefined => {
  if (dueAt === undefined || proof === undefined) return undefined
  if (dueAt > now + shortWait) return now
  return proof.kind === null && call?.state === "intent" ? undefined : Math.max(now, dueAt + 1)
}

const nothing = {
  history: undefined,
  proof: undefined,
  sentAt: undefined,
  dueAt: undefined,
  isReadElsewhere: false
} as const

const isReadElsewhere = (calls: ReadonlyArray<Call>, { event }: Observed, { channel }: HistoryEvent): boolean =>
  (event === "Open" || event === "Click") && channel !== "inbox" &&
  calls.some((call) => call.channel === "inbox" && call.state === "accepted")

/**
 * What an event does to a stored message, at this time (epoch ms).
 * - A message is not cancelled while a provider has it, or may have it because a call's outcome is unknown: a receipt
 *   would find it CANCELED and delivered (P6).
 * - A receipt proves that its call was taken.
 * - A receipt of a provider that was never given the message changes nothing and leaves nothing. One may come before its
 *   call's answer, but not before its intent.
 * - A bounce ends a message only if it belongs to one of its calls and nothing else was sent for it. If the message is
 *   still open, its owner looks at it again and decides (api.md 26.2).
 */
export const weigh = (stored: Stored, observed: Observed, now: number): Verdict => {
  const { calls, dueAt, status } = stored
  const { event, history } = observed
  const inFlight = calls.some(({ state }) => state === "intent")
  const call = meant(calls, observed)
  const isOfAnother = observed.call !== undefined && call === undefined
  const leavesNothing = stored.repeated || isStranger(calls, observed, call)
  const barred = leavesNothing || (event === "Cancel" && calls.some(isOpen)) ||
    (event === "Bounce" && (isOfAnother || livesOn(calls, call) || dueAt !== undefined))
  const applied = !barred && Lifecycle.allows(status, event)
  const observation = {
    before: status,
    after: applied ? Lifecycle.next(status, event) : status,
    applied,
    inFlight,
    repeated: stored.repeated,
    provider: call?.provider
  }
  // A late lower event still leaves its time and its line (api.md 26.2); a refused cancel leaves nothing.
  if (leavesNothing || (event === "Cancel" && !applied)) return { ...nothing, observation }
  const entry = call === undefined ? history : entryOf(call, history)
  const proof = proves(stored, call, observed, entry)
  const sentAt = call !== undefined && isOpen(call) ? proof?.endedAt ?? undefined : undefined
  return {
    observation,
    history: entry,
    proof,
    sentAt,
    dueAt: stirred(dueAt, call, proof, now),
    isReadElsewhere: isReadElsewhere(calls, observed, entry)
  }
}
