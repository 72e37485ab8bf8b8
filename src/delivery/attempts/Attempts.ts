import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { Unavailable } from "#schemas/DeliveryError.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Breakers } from "#src/delivery/attempts/Breakers.ts"
import * as Circuit from "#src/delivery/attempts/Circuit.ts"
import type { Complaint } from "#src/delivery/attempts/Complaints.ts"
import type { InboxItem, Step, StepResult } from "#src/delivery/Journal.ts"
import { closed, type Ending, endingOf, fenced, type Journey } from "#src/delivery/pipeline/Journey.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import type { Position } from "#src/delivery/attempts/position/Situation.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { settle, towardsProvider } from "#src/delivery/attempts/Settlement.ts"
import type { Write } from "#src/delivery/journal/Write.ts"
import * as Expiry from "#src/flows/Expiry.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Effect, Exit, Metric, Result } from "effect"

/** A provider call starts within this many ns of its intent's commit, or proves anew that the shard is still its owner's (P2). */
const freshness = 2_000n * 1_000_000n

/** A store that takes longer for each of so many proofs is too slow to call anybody on its word: the call is made later. */
const mostProofs = 3

const settling = Trace.stage("settle")
const rendering = Trace.stage("render")

/** The attempts of one message in hand: makes them, each with its intent before and its outcome after, and knows where they lead. */
export interface Attempts {
  readonly position: (now: number) => Position
  /** The next call, to the candidate that the position names. An ending if the message's run ends with it. */
  readonly make: (candidate: Candidate, possibleDuplicate: boolean) => Effect.Effect<Ending | undefined>
  /** Closes an attempt that an earlier owner left without an outcome; done before anything else. */
  readonly closeOpen: Effect.Effect<Ending | undefined>
  /** What is written of this message, and the lines that its first step takes along. */
  readonly written: () => {
    readonly routed: boolean
    readonly handedOver: boolean
    readonly events: ReadonlyArray<HistoryEvent>
  }
}

/** One message's attempts as they stand, and the lines that its first step takes along. */
interface Hand {
  readonly journey: Journey
  readonly write: Write
  readonly breakers: Breakers["Service"]
  readonly complain: (complaint: Complaint) => Effect.Effect<void>
  /** What each channel was given to show last. */
  readonly shown: Map<string, Rendered>
  attempts: ReadonlyArray<Attempt>
  events: ReadonlyArray<HistoryEvent>
  routed: boolean
}

const positionAt = (hand: Hand, now: number): Position =>
  position(hand.journey.plan, hand.attempts, {
    ...hand.journey.situation,
    openUntil: (candidate) => Circuit.openUntil(hand.breakers, hand.journey, candidate),
    now
  })

/** What bounced before it was known to be sent leaves its message as open as it was. */
const isHandedOver = (attempts: ReadonlyArray<Attempt>): boolean =>
  attempts.some(({ kind, state }) => state === "accepted" && kind === null)

const written = (hand: Hand) => {
  hand.events = []
  hand.routed = true
}

/** Tells operators what became of an attempt. */
export const count = ({ channel, kind, provider, state }: Attempt): Effect.Effect<void> => {
  const counted = Metric.update(Metrics.attempts({ provider, channel, outcome: kind ?? state }), 1)
  return state === "unknown" ? Effect.andThen(counted, Metric.update(Metrics.unknownOutcomes, 1)) : counted
}

/** Writes an attempt's outcome together with what it means for the message. */
const conclude = (
  hand: Hand,
  attempt: Attempt,
  lines: ReadonlyArray<HistoryEvent>,
  { inbox, orphaned = false }: { readonly inbox?: InboxItem; readonly orphaned?: boolean } = {}
): Effect.Effect<Ending | undefined> =>
  Effect.flatMap(count(attempt), () => {
    const now = attempt.endedAt ?? attempt.startedAt
    const earlier = hand.attempts.filter(({ number }) => number !== attempt.number)
    hand.attempts = [...earlier, attempt]
    const step = settle({
      message: hand.journey.message,
      epoch: hand.journey.epoch,
      routed: hand.routed,
      handedOver: isHandedOver(earlier),
      attempt,
      after: positionAt(hand, now),
      now,
      lines: [...hand.events, ...lines],
      inbox,
      // Without an intent before it, this step is the first word of the attempt, and must find the message open.
      conditional: lines.length > 0,
      orphaned
    })
    return Effect.map(settling(hand.write(step)), (result) => {
      written(hand)
      const goesOn = step.dueAt === undefined && result._tag === "Written" && result.stirred === undefined
      return goesOn ? undefined : endingOf(result, step.dueAt ?? null)
    })
  })

/** The intent is written, and the shard may be another owner's by now. */
const late = { _tag: "Late" } as const

type Intended = StepResult | typeof late

/** Written, but the answer came late: the same rows again are no change, and their commit is a new proof. */
const proven = (hand: Hand, step: Step, proofs: number): Effect.Effect<Intended> =>
  Effect.flatMap(hand.write(step), (result) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      const isStale = result._tag === "Written" && now - result.provenAtNanos > freshness
      if (isStale && proofs < mostProofs) return proven(hand, step, proofs + 1)
      written(hand)
      return Effect.succeed(isStale ? late : result)
    }))

const intend = (hand: Hand, intent: Attempt, lines: ReadonlyArray<HistoryEvent>): Effect.Effect<Intended> => {
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

/** A call that is placed once its intent is written. */
interface Call {
  readonly hand: Hand
  readonly vendor: Vendor
  readonly override: JsonMap
  readonly intent: Attempt
  readonly rendered: Rendered
}

/**
 * What this and `attempt` end with runs after them and not inside them: a generator keeps all that it knows alive while it waits, and between the
 * commits of an attempt there is time for many messages.
 */
const place = Effect.fnUntraced(function*({ hand, intent, override, rendered, vendor }: Call) {
  const { breakers, journey } = hand
  const { data, message, profile } = journey
  if (intent.number === 1 && message.dueAt === 0) {
    yield* Metric.update(
      Metrics.acceptToFirstAttempt,
      ((yield* Clock.currentTimeMillis) - message.enqueuedAt) / 1_000
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
  const circuit = Circuit.of(journey, vendor, override)
  const exit = yield* breakers.guard(circuit, sent).pipe(
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
    yield* hand.complain({ scope, messageId, vendor, attempt: ended, openUntil: breakers.openUntil(circuit), now })
  }
  return conclude(hand, ended, [])
}, Effect.flatten)

const notPlaced = ({ hand, intent }: Call) => {
  const tooSlow = new Unavailable({ detail: "Not called: the store took too long to prove that it may be" })
  return Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => conclude(hand, Outcome.of(intent, Exit.fail(tooSlow), now), [])
  )
}

/** Writes the intent of a call, then places the call. */
const call = (one: Call, lines: ReadonlyArray<HistoryEvent>): Effect.Effect<Ending | undefined> =>
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

type Showing = HistoryEvent & { readonly channel: string; readonly output: Rendered }

/** The line of a rendering, unless its channel has shown the same in this run; what earlier runs have shown, the journal knows. */
const showing = ({ shown }: Hand, line: Showing): ReadonlyArray<HistoryEvent> => {
  const { channel, output } = line
  const before = shown.get(channel)
  shown.set(channel, output)
  return before !== undefined && JSON.stringify(before) === JSON.stringify(output) ? [] : [line]
}

const attempt = Effect.fnUntraced(function*(hand: Hand, candidate: Candidate, possibleDuplicate: boolean) {
  const { attempts, journey } = hand
  const { addressed, message, render } = journey
  const startedAt = yield* Clock.currentTimeMillis
  const intent = Outcome.intent(attempts.length + 1, candidate, startedAt)
  const where = { channel: candidate.channel, provider: candidate.provider, attempt: intent.number }
  const delivering: HistoryEvent = {
    type: "DELIVERING",
    ts: startedAt,
    ...where,
    ...(possibleDuplicate ? { possibleDuplicate } : {})
  }
  const rendered = yield* rendering(Effect.result(render(candidate)))
  if (Result.isFailure(rendered)) {
    return conclude(hand, Outcome.unrendered(intent, rendered.failure.detail), [delivering])
  }
  const provider = Circuit.providerOf(journey, candidate)
  if (provider?._tag === "Vendor") {
    const override = addressed(candidate, Override.of(message.instructions, candidate, provider))
    if (Result.isFailure(override)) {
      return conclude(hand, Outcome.unrendered(intent, override.failure.detail), [delivering])
    }
    const output = Override.shown(candidate.channel, rendered.success, override.success)
    const lines = [...showing(hand, { type: "RENDERED", ts: startedAt, ...where, output }), delivering]
    return call({ hand, vendor: provider, override: override.success, intent, rendered: output }, lines)
  }
  const output = rendered.success
  const lines = [...showing(hand, { type: "RENDERED", ts: startedAt, ...where, output }), delivering]
  const inbox = {
    userId: message.recipient.user_id ?? "",
    tenantId: message.recipient.tenant_id ?? undefined,
    rendered: output,
    createdAt: startedAt,
    expiresAt: Expiry.of(message.instructions, startedAt)
  }
  return conclude(hand, Outcome.accepted(intent, startedAt), lines, { inbox })
}, Effect.flatten)

const closeOpen = Effect.fnUntraced(function*(hand: Hand) {
  const open = Outcome.orphaned(hand.attempts, yield* Clock.currentTimeMillis)
  return open === undefined ? undefined : yield* conclude(hand, open, [], { orphaned: true })
})

export const make = (
  journey: Journey,
  write: Write,
  breakers: Breakers["Service"],
  complain: (complaint: Complaint) => Effect.Effect<void>
): Attempts => {
  const { attempts } = journey.message
  const hand: Hand = {
    journey,
    write,
    breakers,
    complain,
    shown: new Map(),
    attempts,
    events: journey.events,
    routed: attempts.length > 0
  }
  return {
    position: (now) => positionAt(hand, now),
    written: () => ({ routed: hand.routed, handedOver: isHandedOver(hand.attempts), events: hand.events }),
    make: (candidate, possibleDuplicate) => attempt(hand, candidate, possibleDuplicate),
    closeOpen: attempts.length === 0 ? Effect.undefined : closeOpen(hand)
  }
}
