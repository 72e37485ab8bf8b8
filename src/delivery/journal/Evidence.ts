import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Status } from "#schemas/Status.ts"
import type { Observation, Observed } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"

/** What of a stored provider call an event is held against. */
export type Call = Pick<
  Attempt,
  "number" | "channel" | "provider" | "state" | "kind" | "startedAt" | "endedAt" | "reference"
>

/** What a call's row becomes: the vendor answered for it after all, or its message bounced later. */
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

/** What an event from the second door changes; what it leaves as it is, is absent. */
export interface Verdict {
  readonly observation: Observation
  readonly history: HistoryEvent | undefined
  readonly proof: Proof | undefined
  /** Epoch ms at which the proven call had been taken, if nothing was known of that. */
  readonly sentAt: number | undefined
  /** When its owner looks at it anew; another one than it had, by which an owner that has it in hand knows of it (`Step`). */
  readonly dueAt: number | undefined
}

const isOpen = ({ state }: Call): boolean => state === "intent" || state === "unknown"

/** Whoever opened or clicked what was sent had it: the mail, if there is one. Of several calls without an outcome it was the last. */
const opened = (calls: ReadonlyArray<Call>, event: Observed["event"]): Call | undefined => {
  if (event !== "Open" && event !== "Click") return undefined
  const mails = calls.filter(({ channel }) => channel === "email")
  const own = mails.length > 0 ? mails : calls
  return own.some(({ state }) => state === "accepted") ? undefined : own.findLast(isOpen)
}

/**
 * Our own number first, then the vendor's, which names its call also where the provider's alias has been changed since; else the call of that
 * provider that still lacks an outcome.
 */
const meant = (calls: ReadonlyArray<Call>, { call, event }: Observed): Call | undefined => {
  if (call === undefined) return opened(calls, event)
  const own = calls.filter(({ provider }) => call.providers.includes(provider))
  return calls.find(({ number }) => number === call.number) ??
    [...own, ...calls].find(({ reference }) => reference !== null && reference === call.reference) ??
    own.findLast(isOpen) ??
    own.findLast(({ state }) => state === "accepted")
}

/** Sent another way, and nothing is known against that: the message is not undeliverable yet (api.md 26.2). */
const livesOn = (calls: ReadonlyArray<Call>, bounced: Call | undefined): boolean =>
  bounced !== undefined &&
  calls.some((other) =>
    (other.channel !== bounced.channel || other.provider !== bounced.provider) &&
    other.state === "accepted" && other.kind === null
  )

/** The entry of a call's receipt: never before the call, for many providers tell the time in whole seconds. */
const entryOf = ({ channel, endedAt, number, provider, startedAt }: Call, history: HistoryEvent): HistoryEvent => ({
  ...history,
  ts: Math.max(history.ts, endedAt ?? startedAt),
  channel,
  provider,
  attempt: number
})

/** A bounce after an open counts as little for the call as for the message. */
const proves = (
  status: Status,
  call: Call | undefined,
  { call: named, event }: Observed,
  entry: HistoryEvent
): Proof | undefined => {
  if (call === undefined) return undefined
  const bounced = event === "Bounce" && Lifecycle.allows(status, event)
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
 * What is known of a call anew changes its message's place in its plan: nothing that it waits for is waited for any longer, and what its owner
 * does with it at this moment is done without having seen it. Only that a call in flight was taken is what its owner is about to hear. Times
 * in epoch ms.
 */
const stirred = (
  dueAt: number | undefined,
  call: Call | undefined,
  proof: Proof | undefined,
  now: number
): number | undefined => {
  if (dueAt === undefined || proof === undefined) return undefined
  if (dueAt > now) return now
  return proof.kind === null && call?.state === "intent" ? undefined : Math.max(now, dueAt + 1)
}

/**
 * What an event does to a message as it is stored, at this time (epoch ms). What a provider has, or may have, for nobody
 * knows what came of its call, is not cancelled: a receipt would find it CANCELED and delivered (P6). A receipt proves
 * that its call was taken; a bounce ends the message only if it is of one of its calls, and nothing else was sent for it. What becomes of an
 * open message is its owner's to say, who looks at it anew (api.md 26.2).
 */
export const weigh = (stored: Stored, observed: Observed, now: number): Verdict => {
  const { calls, dueAt, status } = stored
  const { event, history } = observed
  const inFlight = calls.some(({ state }) => state === "intent")
  const call = meant(calls, observed)
  const isOfAnother = observed.call !== undefined && call === undefined
  const barred = stored.repeated || (event === "Cancel" && calls.some(isOpen)) ||
    (event === "Bounce" && (isOfAnother || livesOn(calls, call) || dueAt !== undefined))
  const applied = !barred && Lifecycle.allows(status, event)
  const observation = { before: status, after: applied ? Lifecycle.next(status, event) : status, applied, inFlight }
  // A late lower event still leaves its time and its line (api.md 26.2); a refused cancel leaves nothing.
  if (stored.repeated || (event === "Cancel" && !applied)) {
    return { observation, history: undefined, proof: undefined, sentAt: undefined, dueAt: undefined }
  }
  const entry = call === undefined ? history : entryOf(call, history)
  const proof = proves(status, call, observed, entry)
  const sentAt = call !== undefined && isOpen(call) ? proof?.endedAt ?? undefined : undefined
  return { observation, history: entry, proof, sentAt, dueAt: stirred(dueAt, call, proof, now) }
}
