import type { HistoryEvent, Unknown } from "#schemas/History.ts"
import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import type { LeftOut } from "#schemas/Suppression.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import * as Breakers from "#src/delivery/attempts/Breakers.ts"
import * as RateGates from "#src/delivery/attempts/RateGates.ts"
import { deliver } from "#src/delivery/attempts/Deliver.ts"
import * as Escalation from "#src/delivery/attempts/Escalation.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { closed, type Ending, endingOf, type Hands } from "#src/delivery/pipeline/Journey.ts"
import { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Outgoing from "#src/delivery/attempts/Outgoing.ts"
import * as NoWay from "#src/delivery/pipeline/NoWay.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import * as Render from "#src/delivery/pipeline/Render.ts"
import type * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import { refusing } from "#src/delivery/attempts/Settlement.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import * as Throttling from "#src/delivery/pipeline/Throttling.ts"
import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"
import * as Quarantine from "#src/delivery/shards/Quarantine.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Delays from "#src/flows/Delays.ts"
import * as Expiry from "#src/flows/Expiry.ts"
import * as Now from "#src/fibers/Now.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Cause, Context, Effect, Layer, Metric, Result } from "effect"

/**
 * An unknown outcome of a one-time password waits this long for a receipt before it is tried again, in ms
 * (reliability.md 2.5).
 */
const passwordUnknownWait = 15 * 60_000

/** What a crash of the pipeline waits before its first repeat, in ms; each next waits twice as long. */
const firstCrashWait = 1_000

/**
 * The stages a message goes through in its recipient's fiber: map → profile → preferences → route → limits → render →
 * deliver.
 */
export class Pipeline extends Context.Service<Pipeline, {
  /** Runs one message as far as it goes now. Everything it learns is in the journal when this ends. */
  readonly run: (message: OpenMessage, hands: Hands) => Effect.Effect<Ending>
  /** Ends a message that cannot be run, visibly: UNDELIVERABLE, FAILED. */
  readonly abandon: (
    message: Pick<OpenMessage, "id" | "scope" | "shard" | "lane" | "dueAt" | "status" | "attempts">,
    epoch: number,
    detail: string
  ) => Effect.Effect<Ending>
}>()("tidings/Pipeline") {}

const resolved = (decision: PreferenceDecision | undefined, ts: number): ReadonlyArray<HistoryEvent> =>
  decision === undefined ? [] : [{ type: "PREFERENCES_RESOLVED", ts, decision }]

/** The profile is known; so is what would have added to it or to the message, and does not exist. */
const loaded = (unknown: Unknown | undefined, ts: number): HistoryEvent =>
  unknown === undefined ? { type: "PROFILE_LOADED", ts } : { type: "PROFILE_LOADED", ts, unknown }

const routed = (suppressed: ReadonlyArray<LeftOut>, ts: number): HistoryEvent =>
  suppressed.length === 0 ? { type: "ROUTED", ts } : { type: "ROUTED", ts, suppressed }

/** The first lines of a message that is on its way. */
const begun = (
  { preferences, suppressed, unknown }: Pick<Stages.Decision, "preferences" | "suppressed" | "unknown">,
  ts: number
): ReadonlyArray<HistoryEvent> =>
  preferences === undefined
    ? [{ type: "MAPPED", ts }, loaded(unknown, ts), routed(suppressed, ts)]
    : [{ type: "MAPPED", ts }, loaded(unknown, ts), ...resolved(preferences, ts), routed(suppressed, ts)]

/** The line of a message that is too late for the in-app inbox, which tells so in the first run that leaves it out. */
const expired = ({ expired, message: { attempts, instructions } }: Stages.Decision, ts: number) =>
  expired && !attempts.some(({ startedAt }) => Expiry.isOver(instructions, startedAt))
    ? [{ type: "UNDELIVERABLE" as const, ts, channel: "inbox", error: NoWay.expired }]
    : []

/** Counts the channels that a message does not go through, since they are suppressed. */
const counted = (suppressed: ReadonlyArray<LeftOut>): Effect.Effect<void> =>
  Effect.forEach(suppressed, (one) => Metric.update(Metrics.suppressed(one), 1), { discard: true })

export const layer = Layer.effect(
  Pipeline,
  Effect.gen(function*() {
    const journal = yield* Journal
    const { decide, wait } = yield* Stages.make
    const { addressed, render } = yield* Render.make
    const firsts = yield* FirstSteps
    const limits = yield* Throttling.make(firsts.stored)
    const write = Write.make(journal, firsts)
    const walk = deliver({
      write,
      breakers: yield* Breakers.Breakers,
      gates: yield* RateGates.RateGates,
      spare: firsts.spare,
      outgoing: yield* Outgoing.make
    })

    /** Stores that the message waits until `dueAt`, with a line in its timeline. */
    const delay = Effect.fnUntraced(function*(message: OpenMessage, epoch: number, dueAt: number) {
      const at = yield* Now.millis
      const result = yield* write({
        message,
        epoch,
        at,
        lifecycle: message.status === "ENQUEUED" ? ["Delay"] : [],
        conditional: true,
        dueAt,
        tries: 0,
        events: [{ type: "DELAYED", ts: at, dueAt }]
      })
      // Refused, it was cancelled, or this is the repeat of a write whose answer was lost: a look in vain costs nothing.
      return result._tag === "Refused" ? { _tag: "Waiting" as const, dueAt } : endingOf(result, dueAt)
    })

    /**
     * The effect with which this ends runs after the generator and not inside it (`Effect.flatten`), so that what the
     * stages found out is not kept alive as long.
     */
    const stages = Effect.fnUntraced(function*(stored: OpenMessage, { epoch, handedOver, mayBegin }: Hands) {
      const dueAt = yield* wait(stored, yield* Now.millis)
      if (dueAt !== undefined) return delay(stored, epoch, dueAt)
      const decision = yield* decide(stored)
      const { data, isOneTimePassword, message, plan, profile, providers } = decision
      const ts = yield* Now.millis
      // One that is not stored is another's by now, or will be read once it is.
      if (message.attempts.length === 0 && !(yield* limits.take(decision))) return Effect.succeed(closed)
      const first: ReadonlyArray<HistoryEvent> = message.attempts.length > 0
        ? []
        : begun(decision, ts)
      if (first.length > 0 && decision.suppressed.length > 0) yield* counted(decision.suppressed)
      // A message that had to wait for its recipient's own time has its deadline from its first attempt on.
      const since = Delays.startOf(message.instructions.delay, message.enqueuedAt) ?? message.enqueuedAt
      const began = Delays.isOfRecipient(message.instructions.delay) ? message.attempts[0]?.startedAt ?? ts : since
      return walk({
        message,
        since,
        epoch,
        mayBegin,
        handedOver,
        plan,
        profile,
        data,
        providers,
        preferences: decision.preferences,
        events: decision.expired ? [...first, ...expired(decision, ts)] : first,
        render: render(decision, ts),
        addressed: addressed(decision, ts),
        situation: {
          id: message.id,
          waits: RetryPolicy.longWaits,
          deadline: began + (Timeouts.given(message.instructions.timeout?.message) ?? RetryPolicy.messageTimeout),
          unknownWait: isOneTimePassword ? passwordUnknownWait : 0,
          escalation: Escalation.of(message.instructions, stored.status)
        }
      })
    }, Effect.flatten)

    const refuse = Effect.fnUntraced(function*(message: OpenMessage, epoch: number, refusal: Refusal.Refusal) {
      const at = yield* Now.millis
      const { decision, detail, event, reason, suppressed, templateId, recipient = message.recipient, type } = refusal
      const { limit, unknown } = refusal
      const error = Outcome.plain(detail)
      const ends = refusing(message, event)
      const attempt = Outcome.orphaned(message.attempts, at)
      const result = yield* Write.close(write, {
        message: { ...message, recipient, ...(templateId === undefined ? {} : { templateId }) },
        epoch,
        at,
        attempt,
        lifecycle: ends,
        conditional: true,
        reason: ends.includes("Bounce") ? "BOUNCED" : reason,
        error,
        dueAt: null,
        tries: 0,
        events: [
          ...resolved(decision, at),
          {
            type,
            ts: at,
            error,
            ...(reason === undefined ? {} : { reason }),
            ...(suppressed === undefined ? {} : { suppressed }),
            ...(unknown === undefined ? {} : { unknown })
          }
        ]
      }).pipe(Trace.stage("settle"))
      yield* Hand.counted(attempt, result)
      if (suppressed !== undefined && result._tag === "Written") yield* counted(suppressed)
      if (limit !== undefined && result._tag === "Written") yield* Metric.update(Metrics.throttled(limit), 1)
      return endingOf(result, null)
    })

    const abandon: Pipeline["Service"]["abandon"] = Effect.fnUntraced(function*(message, epoch, detail) {
      const at = yield* Now.millis
      const ends = refusing(message, "Undeliver")
      const attempt = Outcome.orphaned(message.attempts, at)
      const result = yield* write({
        message,
        epoch,
        at,
        attempt,
        lifecycle: ends,
        conditional: false,
        reason: ends.includes("Bounce") ? "BOUNCED" : "FAILED",
        error: detail,
        dueAt: null,
        events: [{ type: "UNDELIVERABLE", ts: at, reason: "FAILED", error: detail }]
      }).pipe(Trace.stage("settle"))
      yield* Hand.counted(attempt, result)
      return endingOf(result, null)
    })

    /** A message that crashed its pipeline is run again a little later, and set aside when it keeps crashing it. */
    const afterCrash = Effect.fnUntraced(function*(message: OpenMessage, epoch: number) {
      // A recovered message was counted when its try began (`Tries`).
      const tries = message.recovered ? message.tries : message.tries + 1
      const at = yield* Now.millis
      const step = { message, epoch, at, lifecycle: [], conditional: true }
      if (tries >= Quarantine.maxTries) {
        return endingOf(yield* write({ ...step, dueAt: at, tries: Quarantine.crashed, events: [] }), at)
      }
      const dueAt = at + firstCrashWait * 2 ** (tries - 1)
      const events = [{ type: "RETRYING" as const, ts: at, error: "The message could not be processed", dueAt }]
      return endingOf(yield* write({ ...step, dueAt, tries, events }), dueAt)
    })

    const crashed = (message: OpenMessage, epoch: number) => (defect: unknown) =>
      Effect.logError("a message crashed its pipeline", defect).pipe(
        Effect.annotateLogs("messageId", message.id),
        Effect.andThen(afterCrash(message, epoch))
      )

    /**
     * One handler for all failures of a run: whatever is set up for each message in hand is set up a thousand times.
     */
    const failed = (message: OpenMessage, epoch: number) => (cause: Cause.Cause<Refusal.Refusal>) => {
      const refusal = Cause.findError(cause)
      const ended = Result.isSuccess(refusal)
        ? refuse(message, epoch, refusal.success)
        : Effect.failCause(refusal.failure)
      return Effect.catchDefect(ended, crashed(message, epoch))
    }

    return Pipeline.of({
      run: (message, hands) =>
        Effect.catchCause(stages(message, hands), failed(message, hands.epoch)).pipe(
          Trace.delivering(message.requestId, message.id)
        ),
      abandon
    })
  })
).pipe(Layer.provide(Breakers.layer), Layer.provideMerge(RateGates.layer))
