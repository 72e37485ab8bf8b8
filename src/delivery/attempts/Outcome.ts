import type { Attempt } from "#schemas/Attempt.ts"
import type { DeliveryError } from "#schemas/DeliveryError.ts"
import * as Text from "#schemas/Text.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import type { Acceptance } from "#src/delivery/Provider.ts"
import { Exit, Result } from "effect"

/** What a vendor or a caller tells us, as it is stored. */
export const plain = (text: string): string => Text.stored(text, 2_000)

/**
 * In characters: receipts are found by the reference, and an index entry must be short. Those of the vendors have some
 * dozens.
 */
const longestReference = 512

/** A provider's reference as it is stored and looked for: cut alike in the answer to a call and in a receipt. */
export const referenceOf = (text: string): string => Text.stored(text, longestReference)

/** A call about to be made; `startedAt` is epoch ms. */
export const intent = (number: number, { channel, provider }: Candidate, startedAt: number): Attempt => ({
  number,
  channel,
  provider,
  state: "intent",
  kind: null,
  startedAt,
  endedAt: null,
  retryAfter: null,
  reference: null,
  error: null
})

export const accepted = (intent: Attempt, endedAt: number, reference?: string): Attempt => ({
  ...intent,
  state: "accepted",
  endedAt,
  reference: reference === undefined ? null : referenceOf(reference)
})

export const unknown = (intent: Attempt, endedAt: number, error: string): Attempt => ({
  ...intent,
  state: "unknown",
  kind: "Unknown",
  endedAt,
  error
})

/** The attempt that an earlier owner left without an outcome, if there is one: its call may have arrived (P4). */
export const orphaned = (attempts: ReadonlyArray<Attempt>, endedAt: number): Attempt | undefined => {
  const open = attempts.find(({ state }) => state === "intent")
  return open && unknown(open, endedAt, "The owner stopped before the outcome was known")
}

/** The content could not be rendered for this channel; nothing was sent. */
export const unrendered = (intent: Attempt, detail: string): Attempt => ({
  ...intent,
  state: "rejected",
  kind: "ContentRejected",
  endedAt: intent.startedAt,
  error: plain(detail)
})

/** The call was not made. `wait`: before that many ms the message is not to be tried again. */
export const unmade = (intent: Attempt, endedAt: number, why: string, wait: number | null = null): Attempt => ({
  ...intent,
  state: "rejected",
  endedAt,
  retryAfter: wait,
  error: `Not called: ${why}`
})

/** What became of the attempt, in a word. */
export const word = ({ kind, state }: Attempt): string => kind ?? (state === "rejected" ? "NotCalled" : state)

const failed = (intent: Attempt, failure: DeliveryError, endedAt: number): Attempt => ({
  ...intent,
  state: failure._tag === "Unknown" ? "unknown" : "rejected",
  kind: failure._tag,
  endedAt,
  error: plain(failure.detail),
  retryAfter: "retryAfter" in failure ? failure.retryAfter ?? null : null
})

/** The intent with the outcome of its call. A call that died without an answer may have sent (P4). */
export const of = (intent: Attempt, exit: Exit.Exit<Acceptance, DeliveryError>, endedAt: number): Attempt => {
  if (Exit.isSuccess(exit)) return accepted(intent, endedAt, exit.value.reference)
  const failure = Exit.findError(exit)
  return Result.isSuccess(failure)
    ? failed(intent, failure.success, endedAt)
    : unknown(intent, endedAt, "The provider call ended without an answer")
}
