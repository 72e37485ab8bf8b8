import type { Attempt } from "#schemas/Attempt.ts"
import type { Plan } from "#src/delivery/attempts/Plan.ts"
import { isSame } from "#src/delivery/Provider.ts"
import type { Situation } from "#src/delivery/attempts/position/Situation.ts"

/** When the attempt ended; when it began, if no end is stored. Epoch ms. */
export const endOf = (attempt: Attempt): number => attempt.endedAt ?? attempt.startedAt

/**
 * Nobody knows whether the recipient has it: a call without an outcome, and one of which no outcome was written down.
 */
export const isUnknown = (attempt: Attempt): boolean => attempt.state === "unknown" || attempt.state === "intent"

/**
 * Whether an unknown outcome still waits for a receipt. Until that wait is over, no call is made again, by no other
 * provider either (reliability.md 2.5).
 */
export const isHeld = (attempt: Attempt, { now, unknownWait }: Pick<Situation, "now" | "unknownWait">): boolean =>
  unknownWait > 0 && isUnknown(attempt) && now < endOf(attempt) + unknownWait

/** It was not made after all (`Outcome.unmade`), and so counts for nothing. */
export const isUnmade = ({ kind, state }: Attempt): boolean => state === "rejected" && kind === null

/** A provider took it, whatever became of it. */
export const isTaken = (attempt: Attempt): boolean => attempt.state === "accepted"

/** Taken, and nothing is known against that: it has not bounced. */
export const isSuccess = (attempt: Attempt): boolean => isTaken(attempt) && attempt.kind === null

/** When the first of these was begun, in epoch ms. */
export const first = (attempts: ReadonlyArray<Attempt>): number | undefined => attempts[0]?.startedAt

/** When the last of these of a kind ended, in epoch ms. */
export const lastEnd = (attempts: ReadonlyArray<Attempt>, is: (attempt: Attempt) => boolean): number | undefined => {
  const last = attempts.findLast(is)
  return last === undefined ? undefined : endOf(last)
}

/** The last time that one of these was taken, in epoch ms. */
export const takenAt = (attempts: ReadonlyArray<Attempt>): number | undefined => lastEnd(attempts, isSuccess)

/** Whether a call went to a provider of the plan, in its channel. */
export const isPlanned = (plan: Plan, attempt: Attempt): boolean =>
  plan._tag === "Candidate"
    ? isSame(plan, attempt)
    : isPlannedIn(plan.children, attempt)

/** The same of several plans. */
export const isPlannedIn = (plans: ReadonlyArray<Plan>, attempt: Attempt): boolean =>
  plans.some((plan) => isPlanned(plan, attempt))
