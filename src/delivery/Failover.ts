import * as Attempts from "#src/delivery/attempts/Attempts.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import type { Ending } from "#src/delivery/pipeline/Journey.ts"
import { type Candidate, candidates } from "#src/delivery/attempts/Plan.ts"
import { isSame } from "#src/delivery/Provider.ts"
import { shortWait } from "#src/delivery/RetryPolicy.ts"
import { Cause, Clock, Context, Data, Duration, Effect, ExecutionPlan, Schedule } from "effect"

/** The candidate whose turn it is in the execution plan. */
class Turn extends Context.Service<Turn, Candidate>()("tidings/Failover/Turn") {}

/** The message is not done, and goes on within this fiber: this candidate again, or the next. */
class GoesOn extends Data.TaggedError("GoesOn") {}

/** Made once: creating an error captures a stack, and nobody reads this one's. */
const goesOn = new GoesOn()

/** The wait until the candidate's next call, in ms, if the stored attempts say that it has one and that it is near. */
const waitOf = (hand: Hand.Hand, candidate: Candidate, now: number): number | undefined => {
  const next = Hand.positionAt(hand, now)
  return next._tag === "Next" && isSame(next.candidate, candidate) && next.at - now <= shortWait
    ? Math.max(0, next.at - now)
    : undefined
}

/**
 * A candidate's turns as a schedule: again after the short wait that its position asks for, and over when another's
 * turn has come.
 */
const turns = (hand: Hand.Hand, candidate: Candidate) =>
  Schedule.fromStep(Effect.succeed((now: number, _: unknown) => {
    const wait = waitOf(hand, candidate, now)
    return wait === undefined
      ? Cause.done(candidate)
      : Effect.succeed<[Candidate, Duration.Duration]>([candidate, Duration.millis(wait)])
  }))

const turn = (hand: Hand.Hand): Effect.Effect<Ending, GoesOn, Turn> =>
  Effect.gen(function*() {
    const candidate = yield* Turn
    const now = yield* Clock.currentTimeMillis
    const next = Hand.positionAt(hand, now)
    if (next._tag !== "Next" || !isSame(next.candidate, candidate)) return yield* goesOn
    if (next.at - now > shortWait) return yield* goesOn
    // Another candidate's turn has just ended: this one's own time may be a moment away. It may also be the message's
    // end, after which nothing is called.
    if (next.at > now) return yield* Effect.delay(turn(hand), next.at - now)
    const ending = yield* Attempts.make(hand, next.candidate, next.possibleDuplicate)
    return ending ?? (yield* goesOn)
  })

/**
 * Runs the part of a message's plan that needs no wait over a second: the candidates in order, each for as many turns
 * as its schedule gives it. Which of them is next, and when, is the fold over the stored attempts, so the plan that
 * runs after a restart is the rest of the plan that ran before. `undefined`: no candidate's turn is near.
 */
export const segment = (hand: Hand.Hand): Effect.Effect<Ending | undefined> => {
  const [first, ...rest] = candidates(hand.journey.plan).map((candidate) => ({
    provide: Context.make(Turn, candidate),
    schedule: turns(hand, candidate)
  }))
  return first === undefined ? Effect.succeed(undefined) : turn(hand).pipe(
    Effect.withExecutionPlan(ExecutionPlan.make(first, ...rest)),
    Effect.catchTag("GoesOn", () => Effect.succeed(undefined))
  )
}
