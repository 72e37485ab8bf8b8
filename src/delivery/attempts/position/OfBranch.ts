import type { Attempt } from "#schemas/Attempt.ts"
import { type Branch, type Candidate, candidates, type Plan } from "#src/delivery/attempts/Plan.ts"
import * as Calls from "#src/delivery/attempts/position/Calls.ts"
import { endsChannel, ofCandidate } from "#src/delivery/attempts/position/OfCandidate.ts"
import type { Position, Situation } from "#src/delivery/attempts/position/Situation.ts"

/** The situation, and what is known of the whole plan. */
export interface Fold {
  readonly situation: Situation
  /**
   * When the message itself ends, in epoch ms. A branch may have less time, but only for calls that fail there, not for
   * an escalation.
   */
  readonly end: number
  /** Channels in which the message was taken by a provider that is no longer part of the plan. */
  readonly takenOutside?: ReadonlySet<string>
}

/**
 * The position of a `single` branch of which a child has taken the message: it has succeeded, or escalates to the next
 * channel some time after.
 */
const taken = (
  branch: Branch,
  positions: ReadonlyArray<Position>,
  attempts: ReadonlyArray<Attempt>,
  { end, situation: { escalation, now } }: Fold
): Position => {
  const isNext = (position: Position) => position._tag === "Next"
  // The channels before it come last: it stood in for them, and they may be down for long.
  const later = positions.slice(positions.findLastIndex(({ _tag }) => _tag === "Succeeded") + 1)
  const left = [...later, ...positions].filter(isNext)
  const next = left.find(({ at }) => at <= end) ?? left[0]
  if (branch.channel !== undefined || escalation === undefined || escalation.isMet || next === undefined) {
    return { _tag: "Succeeded" }
  }
  const own = new Set(candidates(branch).map(({ channel }) => channel))
  const childrenAt = (is: (position: Position | undefined) => boolean) =>
    branch.children.filter((_, n) => is(positions[n]))
  const going = childrenAt((position) => position === next)
  const done = childrenAt((position) => position?._tag === "Succeeded")
  // The wait counts from what was taken by finished children, or by providers no longer planned. If the child whose
  // turn it is has taken part of the message itself (`all`), its remaining calls do not wait for that part.
  const isWaitedFor = (attempt: Attempt) =>
    own.has(attempt.channel) && (Calls.isPlannedIn(done, attempt) || !Calls.isPlannedIn(going, attempt))
  const since = Calls.takenAt(attempts.filter(isWaitedFor)) ?? 0
  const due = since + escalation.after
  const at = Math.max(next.at, due)
  if (at <= end) return { ...next, at }
  // Its provider is left alone for longer than the message has. By the time of the escalation, it may not be any more.
  return now < due && due <= end ? { ...next, at: due } : { _tag: "Succeeded" }
}

/**
 * The position of a child of which a part was taken, or may have been as a receipt may still tell: it goes on, and no
 * other child stands in for it, however long its providers are left alone.
 */
const partlyTaken = (
  branch: Branch,
  positions: ReadonlyArray<Position>,
  attempts: ReadonlyArray<Attempt>,
  situation: Situation
): Position | undefined =>
  positions[
    branch.children.findIndex((child, n) =>
      positions[n]?._tag === "Next" && attempts.some((attempt) =>
        (Calls.isSuccess(attempt) || Calls.isHeld(attempt, situation)) && Calls.isPlanned(child, attempt)
      )
    )
  ]

/**
 * When the first call in a branch was made, in epoch ms. In a routing within a routing, calls of other branches do not
 * count.
 */
const startOf = (branch: Branch, inside: ReadonlyArray<Attempt>): number =>
  inside.find((attempt) => branch.channel !== undefined || Calls.isPlanned(branch, attempt))?.startedAt ?? Infinity

/** Whether another child may stand in for a candidate in a `single` branch. */
const isLeftAlone = ({ channel }: Branch, candidate: Candidate, { isCrowded, openUntil }: Situation): boolean =>
  openUntil(candidate) !== undefined && !(channel === undefined && isCrowded?.(candidate) === true)

const ofBranch = (branch: Branch, attempts: ReadonlyArray<Attempt>, until: number, fold: Fold): Position => {
  const { situation, takenOutside } = fold
  if (branch.method === "single" && takenOutside?.has(branch.channel ?? "") === true) {
    return { _tag: "Succeeded" }
  }
  const inside = branch.channel === undefined
    ? attempts
    : attempts.filter((attempt) => attempt.channel === branch.channel)
  const limit = branch.timeout === undefined ? until : Math.min(until, startOf(branch, inside) + branch.timeout)
  let failed: Position = { _tag: "Failed", last: undefined }
  let next: Extract<Position, { _tag: "Next" }> | undefined
  let succeeded = false
  /**
   * The earliest turn so far in a `single` branch. After a provider that its breaker leaves alone, later ones are
   * looked at: their turn may come before its own.
   */
  let aside: typeof next
  const positions = branch.children.map((child) => of(child, inside, limit, fold))
  // A provider may have stood in for an earlier one, whose turn would come again otherwise.
  if (branch.method === "single" && positions.some(({ _tag }) => _tag === "Succeeded")) {
    return taken(branch, positions, inside, fold)
  }
  const held = branch.method === "single" ? partlyTaken(branch, positions, inside, situation) : undefined
  if (held !== undefined) return held
  for (const position of positions) {
    switch (position._tag) {
      case "Succeeded":
        succeeded = true
        break
      case "Next":
        if (branch.method === "single") {
          if (aside === undefined || position.at < aside.at) aside = position
          if (!isLeftAlone(branch, position.candidate, situation)) return aside
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

/** The position of a plan whose calls are made before `until` (epoch ms). */
export const of = (plan: Plan, attempts: ReadonlyArray<Attempt>, until: number, fold: Fold): Position =>
  plan._tag === "Candidate"
    ? ofCandidate(plan, attempts, until, fold.situation)
    : ofBranch(plan, attempts, until, fold)
