import type { Attempt } from "#schemas/Attempt.ts"
import { type Branch, candidates, type Plan } from "#src/delivery/attempts/Plan.ts"
import * as Calls from "#src/delivery/attempts/position/Calls.ts"
import { endsChannel, ofCandidate } from "#src/delivery/attempts/position/OfCandidate.ts"
import type { Position, Situation } from "#src/delivery/attempts/position/Situation.ts"

/** What the fold of a whole plan knows besides. */
export interface Fold extends Situation {
  /** When the message itself ends, in epoch ms: a part of its plan has less time, but only for what fails there. */
  readonly end: number
  readonly takenOutside?: ReadonlySet<string>
}

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
  const childrenAt = (is: (position: Position | undefined) => boolean) =>
    branch.children.filter((_, n) => is(positions[n]))
  const going = childrenAt((position) => position === next)
  const done = childrenAt((position) => position?._tag === "Succeeded")
  // What is asked to be done each for itself does not wait for what was taken of the same.
  const isWaitedFor = (attempt: Attempt) =>
    own.has(attempt.channel) && (Calls.isPlannedIn(done, attempt) || !Calls.isPlannedIn(going, attempt))
  const since = Calls.takenAt(attempts.filter(isWaitedFor)) ?? 0
  const at = Math.max(next.at, since + escalation.after)
  return at > end ? { _tag: "Succeeded" } : { ...next, at }
}

/**
 * The rest of a routing of which a part was taken, or may have been and a receipt may tell: no other one stands in for it, however long its
 * providers are left alone.
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

/** When the first call in a branch was made, in epoch ms; of a routing in a routing, others come before it. */
const startOf = (branch: Branch, inside: ReadonlyArray<Attempt>): number =>
  inside.find((attempt) => branch.channel !== undefined || Calls.isPlanned(branch, attempt))?.startedAt ?? Infinity

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
  const held = branch.method === "single" ? partlyTaken(branch, positions, inside, situation) : undefined
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

/** The place in a plan whose calls are made before `until` (epoch ms). */
export const of = (plan: Plan, attempts: ReadonlyArray<Attempt>, until: number, situation: Fold): Position =>
  plan._tag === "Candidate"
    ? ofCandidate(plan, attempts, until, situation)
    : ofBranch(plan, attempts, until, situation)
