import type { Instructions } from "#schemas/SendMessage.ts"
import type { Status } from "#schemas/Status.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"
import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"

/**
 * A message that was taken is not done yet: unless its recipient is known to have it, it goes on to its next channel (api.md 26.4,
 * `timeout.criteria` and `timeout.escalation`). Only a routing that would stop at the first success asks.
 */
export interface Escalation {
  /** From the hand-over to the next channel's turn, in ms. */
  readonly after: number
  /** What was asked for has happened. */
  readonly isMet: boolean
}

/** The statuses that say so. */
const met: Readonly<Record<string, ReadonlyArray<Status>>> = {
  delivered: ["DELIVERED", "OPENED", "CLICKED"],
  viewed: ["OPENED", "CLICKED"],
  engaged: ["CLICKED"]
}

/** What a message asks for; `undefined`: its hand-over is enough. Half of it, a criterion without a time, asks for nothing. */
export const asked = (
  { timeout }: Instructions
): (Pick<Escalation, "after"> & { readonly criteria: string }) | undefined => {
  const criteria = timeout?.criteria ?? "no-escalation"
  const after = Timeouts.given(timeout?.escalation)
  return met[criteria] === undefined || after === undefined
    ? undefined
    // Never so short that it would be waited for in the recipient's fiber, which hears of no receipt.
    : { criteria, after: Math.max(after, shortWait + 1) }
}

/** What a message asks for, as it stands in this status. */
export const of = (instructions: Instructions, status: Status): Escalation | undefined => {
  const found = asked(instructions)
  return found === undefined
    ? undefined
    : { after: found.after, isMet: met[found.criteria]?.includes(status) === true }
}
