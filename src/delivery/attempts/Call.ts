import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Watch } from "#src/delivery/attempts/Breakers.ts"
import * as DeadAddress from "#src/delivery/attempts/DeadAddress.ts"
import * as Escalation from "#src/delivery/attempts/Escalation.ts"
import * as FirstAttempt from "#src/delivery/attempts/FirstAttempt.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import { closed, type Ending, fenced } from "#src/delivery/pipeline/Journey.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { isUnmade } from "#src/delivery/attempts/position/Calls.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import { isSame, type Vendor } from "#src/delivery/Provider.ts"
import { towardsProvider } from "#src/delivery/attempts/Settlement.ts"
import * as Now from "#src/fibers/Now.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Effect, Exit } from "effect"

/**
 * A provider call starts within this many ns of its intent's commit, or proves anew that the shard is still its owner's
 * (P2).
 */
const freshness = 2_000n * 1_000_000n

/**
 * If each of so many proofs comes too late, the store is too slow for any call to rely on it: the call is made later.
 */
const mostProofs = 3

/** The intent is written, and the shard may be another owner's by now. */
const late = { _tag: "Late" } as const

type Intended = StepResult | typeof late
type Written = Extract<StepResult, { readonly _tag: "Written" }>

/** Whether the answer is no proof any more. */
const isStale = (result: Intended, now: bigint): boolean =>
  result._tag === "Written" && now - result.provenAtNanos > freshness

/**
 * Writes the step. If the answer comes too late to be a proof (`freshness`), writes it again: that changes nothing, but
 * its commit is a new proof.
 */
const proven = (hand: Hand.Hand, step: Step, proofs = 1): Effect.Effect<Intended> =>
  Effect.flatMap(hand.write(step), (result) =>
    Effect.flatMap(Now.monotonicNanos, (now) => {
      const stale = isStale(result, now)
      if (stale && proofs < mostProofs) return proven(hand, step, proofs + 1)
      Hand.written(hand)
      return Effect.succeed(stale ? late : result)
    }))

const stepOf = (hand: Hand.Hand, intent: Attempt, lines: ReadonlyArray<HistoryEvent>): Step => {
  const { epoch, message } = hand.journey
  return {
    message,
    epoch,
    at: intent.startedAt,
    attempt: intent,
    lifecycle: hand.routed ? [] : towardsProvider(message),
    conditional: true,
    events: [...hand.events, ...lines]
  }
}

/** A call that is placed once its intent is written. `server` as `Circuit.serverOf` has it. */
export interface Call {
  readonly hand: Hand.Hand
  readonly vendor: Vendor
  readonly override: JsonMap
  readonly intent: Attempt
  readonly rendered: Rendered
  readonly server: string | undefined
  /** The key of the circuit that the call belongs to. */
  readonly circuit: string
  readonly watch: Watch
  /** What its intent tells the timeline. */
  readonly lines: ReadonlyArray<HistoryEvent>
}

/** What became of it: an attempt whose outcome is to be written, or the end of the message's run. */
export type Ended = Attempt | Ending

/**
 * Makes the call, which was let through its provider's rate gate at `passedAt` (monotonic, ns). Its outcome is written
 * after this has ended, so that no slot is held for that.
 */
const place = Effect.fnUntraced(function*(one: Call, passedAt: bigint) {
  const { circuit, hand, intent, override, rendered, server, vendor, watch } = one
  const { breakers, journey } = hand
  const { data, message, profile } = journey
  yield* FirstAttempt.begins(message, intent)
  const { channel, number, provider } = intent
  const sent = vendor.send({
    scope: message.scope,
    messageId: message.id,
    attempt: number,
    idempotencyToken: `${message.id}:${channel}:${provider}`,
    channel,
    profile,
    rendered: hand.outgoing(message, vendor, rendered),
    data,
    override
  })
  const exit = yield* watch(sent, passedAt).pipe(
    Trace.stage("attempt", () => ({
      "tidings.provider": provider,
      "tidings.channel": channel,
      "tidings.attempt": number
    })),
    Effect.exit
  )
  const now = yield* Now.millis
  const ended = Outcome.of(intent, exit, now)
  if (Exit.isSuccess(exit)) hand.tickets = exit.value.tickets
  if (Exit.isFailure(exit)) {
    const { id: messageId, scope } = message
    const openUntil = breakers.openUntil(circuit)
    yield* hand.complain({ scope, messageId, vendor, server, attempt: ended, openUntil, now })
    hand.dead = DeadAddress.of({ scope, vendor, profile, override, server }, exit)
  }
  return ended
})

const overtaken = "an earlier call was heard of meanwhile"
const handedOver = "the shard was handed over"
const unproven = "the store took too long to prove that it may be"

const notPlaced = ({ intent }: Call, why: string, wait?: number): Effect.Effect<Ended> =>
  Effect.map(Now.millis, (now) => Outcome.unmade(intent, now, why, wait))

/** How long a slow store is left alone by a message, in ms: after each time for longer, as a provider that fails is. */
const unprovenWait = ({ hand }: Call): number => {
  const { id, waits } = hand.journey.situation
  const before = hand.attempts.filter(isUnmade).length
  return RetryPolicy.jittered(waits[Math.min(before, waits.length - 1)] ?? 0, id, before)
}

/**
 * Whether a call that has waited is still the message's next, and due. Its own circuit does not count here: the call may
 * be the one that finds out whether the provider is well. A crowded provider does not come first again by now: the
 * message has had its turn here, which would be lost, and there it would have to wait anew.
 */
export const isNext = ({ hand, intent }: Pick<Call, "hand" | "intent">, now: number): boolean => {
  const { escalation, journey } = hand
  const isOwn = (candidate: Candidate) => isSame(candidate, intent)
  const next = position(hand.plan, hand.attempts, {
    ...journey.situation,
    escalation,
    openUntil: (candidate) => {
      if (isOwn(candidate)) return undefined
      return Hand.isSentAway(hand, candidate) ? Infinity : Hand.openUntil(hand, candidate)
    },
    isCrowded: (candidate) => Hand.isCrowded(hand, candidate),
    now
  })
  return next._tag === "Next" && isOwn(next.candidate) && next.at <= now
}

/**
 * Whether a receipt has changed the message since it was read, so that the call may be one too many: one was heard of an
 * earlier call, or its recipient has it by now as was asked for.
 */
const isOvertaken = (one: Call, { status, stirred }: Written): boolean => {
  const { hand, intent } = one
  if (stirred !== undefined || hand.escalation?.isMet !== false) return stirred !== undefined
  hand.escalation = Escalation.of(hand.journey.message.instructions, status)
  return hand.escalation?.isMet === true && !isNext(one, intent.startedAt)
}

/** Goes on after the intent: only one that is written, still a proof and not overtaken is called. */
const goOn = (one: Call, intended: Intended, place: () => Effect.Effect<Ended>): Effect.Effect<Ended> => {
  switch (intended._tag) {
    case "Written":
      return isOvertaken(one, intended) ? notPlaced(one, overtaken) : place()
    case "Fenced":
      return Effect.succeed(fenced)
    case "Refused":
      return Effect.succeed(closed)
    case "Late":
      return notPlaced(one, unproven, unprovenWait(one))
  }
}

/**
 * Writes the intent, and places the call once there is a connection for it: after a long wait with a new proof (P2).
 * `passedAt` as `place` has it.
 */
export const begin = (one: Call, passedAt: bigint, slots: Slots.Slots | undefined): Effect.Effect<Ended> => {
  const { hand, intent, lines } = one
  const step = stepOf(hand, intent, lines)
  const placed = () => place(one, passedAt)
  return Effect.flatMap(proven(hand, step), (intended) => {
    if (slots === undefined) return goOn(one, intended, placed)
    const { journey } = hand
    const left = notPlaced(one, handedOver)
    const connected = Effect.flatMap(Now.monotonicNanos, (now) => {
      if (!journey.mayBegin()) return left
      return isStale(intended, now)
        ? Effect.flatMap(proven(hand, step), (again) => goOn(one, again, placed))
        : placed()
    })
    return goOn(one, intended, () => Slots.connect(slots, connected, { handedOver: journey.handedOver, left }))
  })
}
