import type { Attempt } from "#schemas/Attempt.ts"
import { Unavailable } from "#schemas/DeliveryError.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Watch } from "#src/delivery/attempts/Breakers.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import { closed, type Ending, fenced } from "#src/delivery/pipeline/Journey.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { towardsProvider } from "#src/delivery/attempts/Settlement.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Effect, Exit, Metric } from "effect"

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

/**
 * Writes the step. If the answer comes too late to be a proof (`freshness`), writes it again: that changes nothing, but
 * its commit is a new proof.
 */
const proven = (hand: Hand.Hand, step: Step, proofs: number): Effect.Effect<Intended> =>
  Effect.flatMap(hand.write(step), (result) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      const isStale = result._tag === "Written" && now - result.provenAtNanos > freshness
      if (isStale && proofs < mostProofs) return proven(hand, step, proofs + 1)
      Hand.written(hand)
      return Effect.succeed(isStale ? late : result)
    }))

const intend = (hand: Hand.Hand, intent: Attempt, lines: ReadonlyArray<HistoryEvent>): Effect.Effect<Intended> => {
  const { epoch, message } = hand.journey
  const step = {
    message,
    epoch,
    at: intent.startedAt,
    attempt: intent,
    lifecycle: hand.routed ? [] : towardsProvider(message),
    conditional: true,
    events: [...hand.events, ...lines]
  }
  return proven(hand, step, 1)
}

/** A call that is placed once its intent is written. `server` as `Circuit.serverOf` has it. */
interface Call {
  readonly hand: Hand.Hand
  readonly vendor: Vendor
  readonly override: JsonMap
  readonly intent: Attempt
  readonly rendered: Rendered
  readonly server: string | undefined
  /** The key of the circuit that the call belongs to. */
  readonly circuit: string
  readonly watch: Watch
}

/**
 * The effect with which this ends runs after the generator and not inside it (`Effect.flatten`), as in `attempt` around
 * it: a generator that waits keeps all its variables alive, and many messages wait for the commits of an attempt at
 * once.
 */
const place = Effect.fnUntraced(function*({ circuit, hand, intent, override, rendered, server, vendor, watch }: Call) {
  const { breakers, journey } = hand
  const { data, message, profile } = journey
  if (intent.number === 1 && message.dueAt === 0) {
    yield* Metric.update(
      Metrics.acceptToFirstAttempt,
      // Who accepted it may have a clock that is a little ahead.
      Math.max(0, (yield* Clock.currentTimeMillis) - message.enqueuedAt) / 1_000
    )
  }
  const { channel, number, provider } = intent
  const sent = vendor.send({
    scope: message.scope,
    messageId: message.id,
    attempt: number,
    idempotencyToken: `${message.id}:${channel}:${provider}`,
    channel,
    profile,
    rendered,
    data,
    override
  })
  const exit = yield* watch(sent).pipe(
    Trace.stage("attempt", () => ({
      "tidings.provider": provider,
      "tidings.channel": channel,
      "tidings.attempt": number
    })),
    Effect.exit
  )
  const now = yield* Clock.currentTimeMillis
  const ended = Outcome.of(intent, exit, now)
  if (Exit.isFailure(exit)) {
    const { id: messageId, scope } = message
    const openUntil = breakers.openUntil(circuit)
    yield* hand.complain({ scope, messageId, vendor, server, attempt: ended, openUntil, now })
  }
  return Hand.conclude(hand, ended, [])
}, Effect.flatten)

const notPlaced = ({ hand, intent }: Call) => {
  const tooSlow = new Unavailable({ detail: "Not called: the store took too long to prove that it may be" })
  return Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Hand.conclude(hand, Outcome.of(intent, Exit.fail(tooSlow), now), [])
  )
}

/** Writes the intent of a call, then places the call. */
export const make = (one: Call, lines: ReadonlyArray<HistoryEvent>): Effect.Effect<Ending | undefined> =>
  Effect.flatMap(intend(one.hand, one.intent, lines), ({ _tag }) => {
    switch (_tag) {
      case "Written":
        return place(one)
      case "Fenced":
        return Effect.succeed(fenced)
      case "Refused":
        return Effect.succeed(closed)
      case "Late":
        return notPlaced(one)
    }
  })
