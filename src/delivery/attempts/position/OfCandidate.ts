import type { Attempt } from "#schemas/Attempt.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import * as Calls from "#src/delivery/attempts/position/Calls.ts"
import type { Position, Situation } from "#src/delivery/attempts/position/Situation.ts"
import { isSame } from "#src/delivery/Provider.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"

/**
 * The channels whose providers are platforms: on each the recipient has another address, and what is sent there has
 * another form, with limits of its own.
 */
const ofPlatforms: ReadonlySet<string> = new Set(["push", "direct_message"])

/** A content or a recipient that one provider refuses is refused by every other that is given the same. */
export const endsChannel = (attempt: Attempt | undefined): boolean =>
  (attempt?.kind === "ContentRejected" || attempt?.kind === "RecipientRejected") && !ofPlatforms.has(attempt.channel)

/** The provider would answer the same again. */
const isFinal = ({ kind }: Attempt): boolean =>
  kind === "RecipientRejected" || kind === "ContentRejected" || kind === "Misconfigured"

/**
 * One provider's place: its call is due, it took the message, or there is nothing left to try before `until` (epoch
 * ms).
 */
export const ofCandidate = (
  candidate: Candidate,
  attempts: ReadonlyArray<Attempt>,
  until: number,
  situation: Situation
): Position => {
  const mine = attempts.filter((attempt) => isSame(attempt, candidate))
  const last = mine.at(-1)
  const possibleDuplicate = attempts.some(Calls.isUnknown)
  const openUntil = situation.openUntil(candidate)
  const earliest = openUntil === undefined ? 0 : openUntil + RetryPolicy.apart(situation.id)
  if (last === undefined) return { _tag: "Next", candidate, at: Math.max(earliest, situation.now), possibleDuplicate }
  // Not only the last: a receipt may prove an earlier call that had no outcome.
  if (mine.some(Calls.isSuccess)) return { _tag: "Succeeded" }
  const bounced = mine.find(Calls.isTaken)
  if (bounced !== undefined) return { _tag: "Failed", last: bounced }
  if (isFinal(last)) return { _tag: "Failed", last }
  const wait = situation.waits[mine.length - 1]
  if (wait === undefined) return { _tag: "Failed", last }
  const started = Calls.first(mine) ?? situation.now
  const due = Calls.endOf(last) + Math.max(
    RetryPolicy.jittered(wait, situation.id, mine.length),
    last.retryAfter ?? 0,
    Calls.isUnknown(last) ? situation.unknownWait : 0
  )
  const at = Math.max(due, earliest)
  // The wait for a receipt does not count for the provider's timeout: most such waits are longer than it. Only one is
  // granted.
  const waited = mine.some(Calls.isUnknown) ? situation.unknownWait : 0
  const limit = Math.min(until, candidate.timeout === undefined ? Infinity : started + candidate.timeout + waited)
  return at > limit && !Calls.isHeld(last, situation)
    ? { _tag: "Failed", last }
    : { _tag: "Next", candidate, at, possibleDuplicate }
}
