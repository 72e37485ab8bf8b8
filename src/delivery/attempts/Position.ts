import type { Attempt } from "#schemas/Attempt.ts"
import type { Plan } from "#src/delivery/attempts/Plan.ts"
import * as Calls from "#src/delivery/attempts/position/Calls.ts"
import { type Fold, of } from "#src/delivery/attempts/position/OfBranch.ts"
import type { Position, Situation } from "#src/delivery/attempts/position/Situation.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"

/**
 * Adds the channels in which the message was taken by a provider that is no longer part of its plan; most plans have
 * not changed.
 */
const fold = (plan: Plan, attempts: ReadonlyArray<Attempt>, situation: Situation, end: number): Fold => {
  const outside = attempts.filter((attempt) => Calls.isSuccess(attempt) && !Calls.isPlanned(plan, attempt))
  return outside.length === 0
    ? { situation, end }
    : { situation, end, takenOutside: new Set(outside.map(({ channel }) => channel)) }
}

/**
 * Epoch ms before which the last answer allows no call (`retryAfter`). The day of tries does not end before it:
 * otherwise an answer that asks for a day would be the end.
 */
const floorOf = (attempts: ReadonlyArray<Attempt>): number => {
  const last = attempts.at(-1)
  return last === undefined || last.retryAfter === null ? 0 : Calls.endOf(last) + last.retryAfter
}

/** Epoch ms before which a message is not tried again whose last call was not made. */
const pauseOf = (all: ReadonlyArray<Attempt>): number => {
  const last = all.at(-1)
  return last !== undefined && Calls.isUnmade(last) ? floorOf(all) : 0
}

const isSingle = (plan: Plan): boolean => plan._tag === "Branch" && plan.method === "single"

/**
 * A message's place in its plan, folded from nothing but its attempts (design.md §3): a crash or a wait resumes at the
 * right provider, attempt and deadline.
 */
export const position = (plan: Plan, all: ReadonlyArray<Attempt>, situation: Situation): Position => {
  const attempts = all.some(Calls.isUnmade) ? all.filter((attempt) => !Calls.isUnmade(attempt)) : all
  const { escalation } = situation
  // The recipient has the message, whatever is left of a plan that may have changed.
  if (escalation?.isMet === true && isSingle(plan) && attempts.some(Calls.isSuccess)) return { _tag: "Succeeded" }
  // The channel that is escalated to has a day of tries of its own, even if what was taken before has bounced
  // meanwhile.
  const handedOver = Calls.lastEnd(attempts, Calls.isTaken)
  const began = escalation === undefined || handedOver === undefined
    ? Calls.first(attempts)
    : handedOver + escalation.after
  const until = Math.min(
    situation.deadline,
    began === undefined ? Infinity : Math.max(began + RetryPolicy.total, floorOf(attempts))
  )
  const found = of(plan, attempts, until, fold(plan, attempts, situation, until))
  // The provider that took the message may have left the plan, while all that is left of the plan has failed.
  if (found._tag === "Failed" && attempts.some(Calls.isSuccess)) return { _tag: "Succeeded" }
  if (found._tag !== "Next") return found
  const at = Math.max(found.at, pauseOf(all))
  // If the provider is left alone for longer than the message has, the message's end is not put off.
  if (situation.now < until) return at === found.at && at <= until ? found : { ...found, at: Math.min(at, until) }
  return attempts.some(Calls.isSuccess) ? { _tag: "Succeeded" } : { _tag: "Failed", last: attempts.at(-1) }
}
