import type { Attempt } from "#schemas/Attempt.ts"
import type { Plan } from "#src/delivery/attempts/Plan.ts"
import * as Calls from "#src/delivery/attempts/position/Calls.ts"
import { type Fold, of } from "#src/delivery/attempts/position/OfBranch.ts"
import type { Position, Situation } from "#src/delivery/attempts/position/Situation.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"

/** Knows the channels in which a provider has taken the message that is no part of its plan any more; most plans have not changed. */
const fold = (plan: Plan, attempts: ReadonlyArray<Attempt>, situation: Situation, end: number): Fold =>
  attempts.some((attempt) => Calls.isSuccess(attempt) && !Calls.isPlanned(plan, attempt))
    ? {
      ...situation,
      end,
      takenOutside: new Set(
        attempts.flatMap((attempt) =>
          Calls.isSuccess(attempt) && !Calls.isPlanned(plan, attempt) ? [attempt.channel] : []
        )
      )
    }
    : { ...situation, end }

/** The time that the last answer asked for: the day of tries is not over before it, or an answer that asks for a day would be the end. */
const floorOf = (attempts: ReadonlyArray<Attempt>): number => {
  const last = attempts.at(-1)
  return last === undefined || last.retryAfter === null ? 0 : Calls.endOf(last) + last.retryAfter
}

const isSingle = (plan: Plan): boolean => plan._tag === "Branch" && plan.method === "single"

/**
 * A message's place in its plan, folded from nothing but its attempts (design.md §3): a crash or a wait resumes at the right provider,
 * attempt and deadline.
 */
export const position = (plan: Plan, attempts: ReadonlyArray<Attempt>, situation: Situation): Position => {
  const { escalation } = situation
  // Whatever is left of a plan that has changed: the recipient has the message.
  if (escalation?.isMet === true && isSingle(plan) && attempts.some(Calls.isSuccess)) return { _tag: "Succeeded" }
  // What is escalated to begins anew, also where what was taken has bounced while the message waited.
  const handedOver = Calls.lastEnd(attempts, Calls.isTaken)
  const began = escalation === undefined || handedOver === undefined
    ? Calls.first(attempts)
    : handedOver + escalation.after
  const until = Math.min(
    situation.deadline,
    began === undefined ? Infinity : Math.max(began + RetryPolicy.total, floorOf(attempts))
  )
  const found = of(plan, attempts, until, fold(plan, attempts, situation, until))
  // What has taken it may be no part of the plan any more, while all that is left of that has failed.
  if (found._tag === "Failed" && attempts.some(Calls.isSuccess)) return { _tag: "Succeeded" }
  if (found._tag !== "Next") return found
  // A provider that is left alone for longer than the message has: the message's end is not put off.
  if (situation.now < until) return found.at > until ? { ...found, at: until } : found
  return attempts.some(Calls.isSuccess) ? { _tag: "Succeeded" } : { _tag: "Failed", last: attempts.at(-1) }
}
