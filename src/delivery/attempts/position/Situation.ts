import type { Attempt } from "#schemas/Attempt.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Escalation } from "#src/delivery/attempts/Escalation.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"

/**
 * What a message's stored attempts say about its plan: it succeeded, it failed for good, or its next call is due at
 * `at` (epoch ms).
 */
export type Position =
  | { readonly _tag: "Succeeded" }
  | { readonly _tag: "Failed"; readonly last: Attempt | undefined }
  | { readonly _tag: "Next"; readonly candidate: Candidate; readonly at: number; readonly possibleDuplicate: boolean }

/** What of the message and the clock the fold needs. Times in epoch ms, waits in ms. */
export interface Situation {
  readonly id: MessageId
  readonly now: number
  readonly deadline: number
  readonly waits: ReadonlyArray<number>
  /**
   * How long an unknown outcome waits for a receipt before it is tried again; 0 for most messages (reliability.md 2.5).
   */
  readonly unknownWait: number
  /** Absent: what was taken is done. */
  readonly escalation?: Escalation | undefined
  /** Epoch ms until which a provider is left alone, by its circuit breaker or since its rate gate is crowded. */
  readonly openUntil: (candidate: Candidate) => number | undefined
  /**
   * Whether the latter alone is why: it takes messages, and so another of its channel may stand in for it, but no other
   * channel. Absent: of none.
   */
  readonly isCrowded?: (candidate: Candidate) => boolean
}
