import type { Attempt } from "#schemas/Attempt.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Escalation } from "#src/delivery/attempts/Escalation.ts"
import { type Branch, type Candidate, candidates, type Plan } from "#src/delivery/attempts/Plan.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"

/** What a message's stored attempts say about its plan: it succeeded, it failed for good, or its next call is due at `at` (epoch ms). */
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
  /** How long an unknown outcome waits for a receipt before it is tried again; 0 for most messages (reliability.md 2.5). */
  readonly unknownWait: number
  /** Absent: what was taken is done. */
  readonly escalation?: Escalation | undefined
  /** Epoch ms until which a provider is left alone by its circuit breaker. */
  readonly openUntil: (candidate: Candidate) => number | undefined
}

interface Fold extends Situation {
  /** When the message itself ends, in epoch ms: a part of its plan has less time, but only for what fails there. */
  readonly end: number
  readonly takenOutside?: ReadonlySet<string>
}

/** When it ended; when it began, if nobody wrote that down. Epoch ms. */
const endOf = (attempt: Attempt): number => attempt.endedAt ?? attempt.startedAt

const isUnknown = (attempt: Attempt): boolean => attempt.state === "unknown" || attempt.state === "intent"

const isTaken = (attempt: Attempt): boolean => attempt.state === "accepted"

/** Taken, and nothing is known against that: it has not bounced. */
const isSuccess = (attempt: Attempt): boolean => isTaken(attempt) && attempt.kind === null

/** A refused recipient or content is refused by every provider of the channel. */
const endsChannel = (attempt: Attempt | undefined): boolean =>
  attempt?.kind === "RecipientRejected" || attempt?.kind === "ContentRejected"

const first = (attempts: ReadonlyArray<Attempt>): number | undefined => attempts[0]?.startedAt

const ofCandidate = (
  candidate: Candidate,
  attempts: ReadonlyArray<Attempt>,
  until: number,
  situation: Situation
): Position => {
  const mine = attempts.filter((attempt) =>
    attempt.channel === candidate.channel && attempt.provider === candidate.provider
  )
  const last = mine.at(-1)
  const possibleDuplicate = attempts.some(isUnknown)
  const openUntil = situation.openUntil(candidate)
  const earliest = openUntil === undefined ? 0 : openUntil + RetryPolicy.apart(situation.id)
  if (last === undefined) return { _tag: "Next", candidate, at: Math.max(earliest, situation.now), possibleDuplicate }
  // Not only the last: a receipt may prove an earlier call that had no outcome.
  if (mine.some(isSuccess)) return { _tag: "Succeeded" }
  const bounced = mine.find(isTaken)
  if (bounced !== undefined) return { _tag: "Failed", last: bounced }
  if (endsChannel(last) || last.kind === "Misconfigured") return { _tag: "Failed", last }
  const wait = situation.waits[mine.length - 1]
  if (wait === undefined) return { _tag: "Failed", last }
  const started = first(mine) ?? situation.now
  const due = endOf(last) + Math.max(
    RetryPolicy.jittered(wait, situation.id, mine.length),
    last.retryAfter ?? 0,
    isUnknown(last) ? situation.unknownWait : 0
  )
  const at = Math.max(due, earliest)
  const limit = Math.min(until, candidate.timeout === undefined ? Infinity : started + candidate.timeout)
  return at > limit ? { _tag: "Failed", last } : { _tag: "Next", candidate, at, possibleDuplicate }
}

const lastEnd = (attempts: ReadonlyArray<Attempt>, is: (attempt: Attempt) => boolean): number | undefined => {
  const last = attempts.findLast(is)
  return last === undefined ? undefined : endOf(last)
}

/** The last time that one of these was taken, in epoch ms. */
const takenAt = (attempts: ReadonlyArray<Attempt>): number | undefined => lastEnd(attempts, isSuccess)

/** A channel of the routing has taken the message: that is all, or it is the next one's turn some time after. */
const taken = (
  branch: Branch,
  positions: ReadonlyArray<Position>,
  attempts: ReadonlyArray<Attempt>,
  { end, escalation }: Fold
): Position => {
  const isNext = (position: Position) => position._tag === "Next"
  // Those before it come last: this one stood in for them, and they may be ill for long.
  const later = positions.slice(positions.findLastIndex(({ _tag }) => _tag === "Succeeded") + 1)
  const next = later.find(isNext) ?? positions.find(isNext)
  if (branch.channel !== undefined || escalation === undefined || escalation.isMet || next === undefined) {
    return { _tag: "Succeeded" }
  }
  const own = new Set(candidates(branch).map(({ channel }) => channel))
  const isOf = (attempt: Attempt, which: (position: Position | undefined) => boolean) =>
    branch.children.some((child, n) => which(positions[n]) && isPlanned(child, attempt))
  // What is asked to be done each for itself does not wait for what was taken of the same.
  const since = takenAt(attempts.filter((attempt) =>
    own.has(attempt.channel) &&
    (!isOf(attempt, (position) => position === next) || isOf(attempt, (position) => position?._tag === "Succeeded"))
  )) ?? 0
  const at = Math.max(next.at, since + escalation.after)
  return at > end ? { _tag: "Succeeded" } : { ...next, at }
}

/** The rest of a routing of which a part was taken: no other one stands in for it, however long its providers are left alone. */
const partlyTaken = (
  branch: Branch,
  positions: ReadonlyArray<Position>,
  attempts: ReadonlyArray<Attempt>
): Position | undefined =>
  positions[
    branch.children.findIndex((child, n) =>
      positions[n]?._tag === "Next" && attempts.some((attempt) => isSuccess(attempt) && isPlanned(child, attempt))
    )
  ]

/** When the first call in a branch was made, in epoch ms; of a routing in a routing, others come before it. */
const startOf = (branch: Branch, inside: ReadonlyArray<Attempt>): number =>
  inside.find((attempt) => branch.channel !== undefined || isPlanned(branch, attempt))?.startedAt ?? Infinity

const ofBranch = (branch: Branch, attempts: ReadonlyArray<Attempt>, until: number, situation: Fold): Position => {
  if (branch.method === "single" && situation.takenOutside?.has(branch.channel ?? "") === true) {
    return { _tag: "Succeeded" }
  }
  const inside = branch.channel === undefined
    ? attempts
    : attempts.filter((attempt) => attempt.channel === branch.channel)
  const limit = branch.timeout === undefined ? until : Math.min(until, startOf(branch, inside) + branch.timeout)
  let failed: Position = { _tag: "Failed", last: undefined }
  let next: Extract<Position, { _tag: "Next" }> | undefined
  let succeeded = false
  /** The earliest turn in a `single` branch while providers are left alone by their breakers: another one's turn comes before theirs. */
  let aside: typeof next
  const positions = branch.children.map((child) => of(child, inside, limit, situation))
  // Also of a provider that stood in for an earlier one, whose turn would come again.
  if (branch.method === "single" && positions.some(({ _tag }) => _tag === "Succeeded")) {
    return taken(branch, positions, inside, situation)
  }
  const held = branch.method === "single" ? partlyTaken(branch, positions, inside) : undefined
  if (held !== undefined) return held
  for (const position of positions) {
    switch (position._tag) {
      case "Succeeded":
        succeeded = true
        break
      case "Next":
        if (branch.method === "single") {
          const isOpen = situation.openUntil(position.candidate) !== undefined
          if (aside === undefined || position.at < aside.at) aside = position
          if (!isOpen) return aside
          break
        }
        if (next === undefined || position.at < next.at) next = position
        break
      case "Failed":
        failed = position
        if (branch.method === "single" && branch.channel !== undefined && endsChannel(position.last)) return position
    }
  }
  return next ?? aside ?? (succeeded ? { _tag: "Succeeded" } : failed)
}

const of = (plan: Plan, attempts: ReadonlyArray<Attempt>, until: number, situation: Fold): Position =>
  plan._tag === "Candidate"
    ? ofCandidate(plan, attempts, until, situation)
    : ofBranch(plan, attempts, until, situation)

const isPlanned = (plan: Plan, attempt: Attempt): boolean =>
  plan._tag === "Candidate"
    ? plan.channel === attempt.channel && plan.provider === attempt.provider
    : plan.children.some((child) => isPlanned(child, attempt))

/** Knows the channels in which a provider has taken the message that is no part of its plan any more; most plans have not changed. */
const fold = (plan: Plan, attempts: ReadonlyArray<Attempt>, situation: Situation, end: number): Fold =>
  attempts.some((attempt) => isSuccess(attempt) && !isPlanned(plan, attempt))
    ? {
      ...situation,
      end,
      takenOutside: new Set(
        attempts.flatMap((attempt) => isSuccess(attempt) && !isPlanned(plan, attempt) ? [attempt.channel] : [])
      )
    }
    : { ...situation, end }

/** The time that the last answer asked for: the day of tries is not over before it, or an answer that asks for a day would be the end. */
const floorOf = (attempts: ReadonlyArray<Attempt>): number => {
  const last = attempts.at(-1)
  return last === undefined || last.retryAfter === null ? 0 : endOf(last) + last.retryAfter
}

const isSingle = (plan: Plan): boolean => plan._tag === "Branch" && plan.method === "single"

/**
 * A message's place in its plan, folded from nothing but its attempts (design.md §3): a crash or a wait resumes at the right provider,
 * attempt and deadline.
 */
export const position = (plan: Plan, attempts: ReadonlyArray<Attempt>, situation: Situation): Position => {
  const { escalation } = situation
  const last = escalation === undefined ? undefined : takenAt(attempts)
  // Whatever is left of a plan that has changed: the recipient has the message.
  if (escalation?.isMet === true && last !== undefined && isSingle(plan)) return { _tag: "Succeeded" }
  // What is escalated to begins anew, also where what was taken has bounced while the message waited.
  const handedOver = escalation === undefined ? undefined : lastEnd(attempts, isTaken)
  const began = escalation === undefined || handedOver === undefined ? first(attempts) : handedOver + escalation.after
  const until = Math.min(
    situation.deadline,
    began === undefined ? Infinity : Math.max(began + RetryPolicy.total, floorOf(attempts))
  )
  const found = of(plan, attempts, until, fold(plan, attempts, situation, until))
  // What has taken it may be no part of the plan any more, while all that is left of that has failed.
  if (found._tag === "Failed" && attempts.some(isSuccess)) return { _tag: "Succeeded" }
  if (found._tag !== "Next") return found
  // A provider that is left alone for longer than the message has: the message's end is not put off.
  if (situation.now < until) return found.at > until ? { ...found, at: until } : found
  return attempts.some(isSuccess) ? { _tag: "Succeeded" } : { _tag: "Failed", last: attempts.at(-1) }
}
