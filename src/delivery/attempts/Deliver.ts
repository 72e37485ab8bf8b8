import type { HistoryEvent } from "#schemas/History.ts"
import * as Attempts from "#src/delivery/attempts/Attempts.ts"
import * as Complaints from "#src/delivery/attempts/Complaints.ts"
import * as Failover from "#src/delivery/Failover.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import { type Ending, endingOf, type Journey } from "#src/delivery/pipeline/Journey.ts"
import type { Position } from "#src/delivery/attempts/position/Situation.ts"
import * as Now from "#src/fibers/Now.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"
import { failing, reasonOf } from "#src/delivery/attempts/Settlement.ts"
import { close } from "#src/delivery/journal/Write.ts"
import { Effect } from "effect"

/**
 * The line for a message whose escalation ends because its recipient's preferences, as they are by now, leave it fewer
 * channels or none.
 */
const stopped = (
  { escalation, journey: { preferences: decision } }: Hand.Hand,
  ts: number
): ReadonlyArray<HistoryEvent> => {
  if (decision === undefined || escalation?.isMet !== false) return []
  const isLess = decision.outcome === "DROPPED" || (decision.channels?.dropped ?? []).length > 0
  return isLess ? [{ type: "PREFERENCES_RESOLVED", ts, decision }] : []
}

/** What comes next, unless the message's run has ended. */
const unless =
  (hand: Hand.Hand, next: (hand: Hand.Hand) => Effect.Effect<Ending>) =>
  (ending: Ending | undefined): Effect.Effect<Ending> => ending === undefined ? next(hand) : Effect.succeed(ending)

/** Walks a message along its plan until it is closed, must wait longer than a second, or has lost its owner. */
export const deliver = (given: Omit<Hand.Means, "complain">) => {
  const means = { ...given, complain: Complaints.make() }
  const { write } = given

  /**
   * Closes a message whose plan is over without an attempt of this run: the plan changed, or the deadline passed while
   * the row waited.
   */
  const end = Effect.fnUntraced(function*(
    hand: Hand.Hand,
    at: number,
    over: Exclude<Position, { readonly _tag: "Next" }>
  ) {
    const { events, journey, routed } = hand
    const { epoch, message } = journey
    const common = { message, epoch, at, conditional: true, dueAt: null }
    const last = over._tag === "Failed" ? over.last : undefined
    const reason = reasonOf(last)
    const error = over._tag === "Failed"
      ? last?.error ?? (reason === "BOUNCED" ? "The message bounced" : "The message's deadline passed")
      : undefined
    const result = yield* close(
      write,
      error === undefined
        ? { ...common, lifecycle: [], events: stopped(hand, at) }
        : {
          ...common,
          lifecycle: failing({ message, routed, handedOver: Hand.isHandedOver(hand.attempts) }),
          reason,
          error,
          events: [...events, { type: "UNDELIVERABLE", ts: at, reason, error }]
        }
    )
    return endingOf(result, null)
  })

  /**
   * One turn of a walk, and the next. Not a generator: while it waits for a commit or a provider, a generator keeps all
   * its variables alive, and a thousand messages wait at once.
   */
  const walk = (hand: Hand.Hand): Effect.Effect<Ending> =>
    Effect.flatMap(Now.millis, (now) => {
      const next = Hand.positionAt(hand, now)
      if (next._tag !== "Next") return end(hand, now, next)
      // The plan was resumed too early, or the provider is left alone.
      if (next.at - now > shortWait) {
        Hand.comesBack(hand, next.candidate)
        const error = Hand.whyLeftAlone(hand, next.candidate)
        return Hand.wait(hand, now, { candidate: next.candidate, dueAt: next.at, error })
      }
      // Its place again: what it waits for may be its end.
      if (next.at > now) return Effect.delay(walk(hand), next.at - now)
      return Effect.flatMap(Attempts.make(hand, next.candidate, next.possibleDuplicate), unless(hand, goOn))
    })

  /**
   * The first call goes without the execution plan: setting that up costs as much as all the rest of a run, and most
   * messages are accepted at their first call.
   */
  const goOn = (hand: Hand.Hand): Effect.Effect<Ending> => Effect.flatMap(Failover.segment(hand), unless(hand, walk))

  return (journey: Journey): Effect.Effect<Ending> => {
    const hand = Hand.make(journey, means)
    return hand.attempts.length === 0
      ? walk(hand)
      : Effect.flatMap(Attempts.closeOpen(hand), unless(hand, walk))
  }
}
