import type { Hand } from "#src/delivery/attempts/Hand.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import { type Candidate, candidates, without } from "#src/delivery/attempts/Plan.ts"
import { find, isSame } from "#src/delivery/Provider.ts"
import { type Ending, endingOf } from "#src/delivery/pipeline/Journey.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import { Clock, Effect } from "effect"

/**
 * Whether a candidate would call an address of which an earlier call of this run has told that it is dead. Not if the
 * message may have arrived there: then it is tried on, since nobody knows whether it has.
 */
const isDead = ({ attempts, journey, suppressed }: Hand, candidate: Candidate): boolean => {
  const { message: { instructions }, profile } = journey
  const provider = find(journey.providers, candidate)
  if (provider === undefined) return false
  const mine = attempts.filter((attempt) => isSame(attempt, candidate))
  return mine.every(({ state }) => state === "rejected") && mine.at(-1)?.kind !== "RecipientRejected" &&
    Suppressed.find(suppressed, provider, profile, Override.of(instructions, candidate, provider)) !== undefined
}

/** Leaves out of the plan who would call a dead address, with a line of each. */
const leaveOut = (hand: Hand): Effect.Effect<Ending | undefined> =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => {
    const { journey: { epoch, message }, plan, write } = hand
    const out = candidates(plan).filter((candidate) => isDead(hand, candidate))
    hand.plan = without(plan, out)
    const events = out.map(({ channel, provider }) => ({
      type: "UNDELIVERABLE" as const,
      ts: at,
      channel,
      provider,
      error: "Not called: another provider has told that the address is dead"
    }))
    return Effect.map(
      write({ message, epoch, at, lifecycle: [], conditional: true, events }),
      (result) =>
        result._tag === "Written" && result.stirred === undefined ? undefined : endingOf(result, message.dueAt)
    )
  })

/** What is done instead of a call to this candidate; `undefined`: it is called. */
export const instead = (hand: Hand, candidate: Candidate): Effect.Effect<Ending | undefined> | undefined =>
  hand.suppressed.length > 0 && isDead(hand, candidate) ? leaveOut(hand) : undefined
