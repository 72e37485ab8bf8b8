import type { Instructions } from "#schemas/SendMessage.ts"
import type { Status } from "#schemas/Status.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"
import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"

/**
 * What a message asks for that is not done when a provider takes it: unless its recipient is then known to have it, it
 * goes on to its next channel (api.md 26.4, `timeout.criteria` and `timeout.escalation`). It is heeded only by a
 * routing that would stop at the first success (`single`).
 */
export interface Escalation {
  /** From the hand-over to the next channel's turn, in ms. */
  readonly after: number
  /** What was asked for has happened. */
  readonly isMet: boolean
}

/** The statuses that meet each criterion. */
const met: Readonly<Record<string, ReadonlyArray<Status>>> = {
  delivered: ["DELIVERED", "OPENED", "CLICKED"],
  viewed: ["OPENED", "CLICKED"],
  engaged: ["CLICKED"]
}

/** What a message asks for; `undefined`: its hand-over is enough. A criterion without a time asks for nothing. */
export const asked = (
  { timeout }: Instructions
): (Pick<Escalation, "after"> & { readonly criteria: string }) | undefined => {
  const criteria = timeout?.criteria ?? "no-escalation"
  const after = Timeouts.given(timeout?.escalation)
  return met[criteria] === undefined || after === undefined
    ? undefined
    // Longer than `shortWait`: a shorter wait is spent in the recipient's fiber, which hears of no receipt.
    : { criteria, after: Math.max(after, shortWait + 1) }
}

/** What a message asks for, as it stands in this status. */
export const of = (instructions: Instructions, status: Status): Escalation | undefined => {
  const found = asked(instructions)
  return found === undefined
    ? undefined
    : { after: found.after, isMet: met[found.criteria]?.includes(status) === true }
}
