import type { Attempt } from "#schemas/Attempt.ts"
import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { RenderFailed } from "#src/content/Content.ts"
import type { InboxItem, StepResult } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/OpenMessage.ts"
import type { Candidate, Plan } from "#src/delivery/Plan.ts"
import { position, type Situation } from "#src/delivery/Position.ts"
import type { Provider, Vendor } from "#src/delivery/Provider.ts"
import { settle, shortWait, towardsProvider } from "#src/delivery/Settlement.ts"
import type { Write } from "#src/delivery/Write.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, Effect, Exit, Metric, Result, type Schema } from "effect"

/** A provider call starts within this many ms of its intent's commit, or proves anew that the shard is still its owner's (P2). */
const freshness = 2_000n * 1_000_000n

/** A message on its way: what the stages before found. Deadline in epoch ms, waits in ms. */
export interface Journey {
  readonly message: OpenMessage
  readonly epoch: number
  readonly plan: Plan
  readonly profile: Profile
  readonly data: Schema.JsonObject
  readonly providers: ReadonlyArray<Provider>
  readonly render: (candidate: Candidate) => Result.Result<Rendered, RenderFailed>
  readonly situation: Omit<Situation, "now">
  /** Lines of the timeline to be written with the first step. */
  readonly events: ReadonlyArray<HistoryEvent>
}

/** `Closed`: nothing is left to do. `Waiting`: a row waits until `dueAt` (epoch ms). `Fenced`: another owner has the shard. */
export type Ending =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Waiting"; readonly dueAt: number }
  | { readonly _tag: "Fenced" }

const closed: Ending = { _tag: "Closed" }
const fenced: Ending = { _tag: "Fenced" }

const tokenOf = (message: OpenMessage, candidate: Candidate): string =>
  `${message.id}:${candidate.channel}:${candidate.provider}`

const plain = (text: string): string => text.replaceAll("\u0000", "").slice(0, 2_000)

const outcomeOf = (intent: Attempt, exit: Exit.Exit<{ readonly reference: string | undefined }, DeliveryError>, endedAt: number): Attempt => {
  if (Exit.isSuccess(exit)) {
    const { reference } = exit.value
    return { ...intent, state: "accepted", endedAt, reference: reference === undefined ? null : plain(reference) }
  }
  const error = Exit.findError(exit)
  if (Result.isFailure(error)) {
    return { ...intent, state: "unknown", kind: "Unknown", endedAt, error: "The provider call ended without an answer" }
  }
  const { success: failure } = error
  return {
    ...intent,
    state: failure._tag === "Unknown" ? "unknown" : "rejected",
    kind: failure._tag,
    endedAt,
    error: plain(failure.detail),
    retryAfter: "retryAfter" in failure ? failure.retryAfter ?? null : null
  }
}

/** Walks a message along its plan until it is closed, must wait longer than a second, or has lost its owner. */
export const deliver = (write: Write) =>
  Effect.fnUntraced(function*(journey: Journey): Effect.fn.Return<Ending> {
    const { epoch, message, plan } = journey
    let attempts = message.attempts
    let events = journey.events
    let routed = attempts.length > 0

    const conclude = Effect.fnUntraced(function*(attempt: Attempt, lines: ReadonlyArray<HistoryEvent>, inbox?: InboxItem) {
      const now = attempt.endedAt ?? attempt.startedAt
      attempts = [...attempts.filter((earlier) => earlier.number !== attempt.number), attempt]
      const after = position(plan, attempts, { ...journey.situation, now })
      yield* Metric.update(
        Metric.withAttributes(Metrics.attempts, {
          provider: attempt.provider,
          channel: attempt.channel,
          outcome: attempt.kind ?? attempt.state
        }),
        1
      )
      if (attempt.state === "unknown") yield* Metric.update(Metrics.unknownOutcomes, 1)
      const before = [...events, ...lines]
      // Without an intent before it, this step is the first word of the attempt, and must find the message open.
      const step = settle({ message, epoch, routed, attempt, after, now, before, inbox, conditional: attempt.endedAt === attempt.startedAt })
      const result = yield* write(step).pipe(Trace.stage("settle"))
      events = []
      routed = true
      if (result._tag === "Fenced") return fenced
      if (result._tag === "Refused") return closed
      if (step.dueAt === null) {
        yield* Metric.update(Metric.withAttributes(Metrics.settled, { status: result.status }), 1)
        return closed
      }
      return step.dueAt === undefined ? undefined : { _tag: "Waiting" as const, dueAt: step.dueAt }
    })

    const intend = Effect.fnUntraced(function*(intent: Attempt, before: ReadonlyArray<HistoryEvent>) {
      const step = {
        message,
        epoch,
        at: intent.startedAt,
        attempt: intent,
        lifecycle: routed ? [] : towardsProvider(message),
        conditional: true,
        events: [...events, ...before]
      }
      let result: StepResult = yield* write(step)
      // Written, but the answer came late: the same rows again are no change, and their commit is a new proof.
      while (result._tag === "Written" && (yield* Clock.monotonicTimeNanos) - result.committedAtNanos > freshness) {
        result = yield* write({ ...step, lifecycle: [] })
      }
      events = []
      routed = true
      return result
    })

    const call = Effect.fnUntraced(function*(provider: Vendor, candidate: Candidate, rendered: Rendered, intent: Attempt, before: ReadonlyArray<HistoryEvent>) {
      const result = yield* intend(intent, before).pipe(Trace.stage("intent", { "tidings.attempt": intent.number }))
      if (result._tag === "Fenced") return fenced
      if (result._tag === "Refused") return closed
      if (intent.number === 1 && message.dueAt === 0) {
        yield* Metric.update(Metrics.acceptToFirstAttempt, (yield* Clock.currentTimeMillis) - message.enqueuedAt)
      }
      const exit = yield* provider.send({
        scope: message.scope,
        messageId: message.id,
        attempt: intent.number,
        idempotencyToken: tokenOf(message, candidate),
        channel: candidate.channel,
        profile: journey.profile,
        rendered,
        data: journey.data,
        override: {
          ...message.instructions.channels?.[candidate.channel]?.override,
          ...message.instructions.providers?.[candidate.provider]?.override
        }
      }).pipe(
        Trace.stage("attempt", {
          "tidings.provider": candidate.provider,
          "tidings.channel": candidate.channel,
          "tidings.attempt": intent.number
        }),
        Effect.exit
      )
      return yield* conclude(outcomeOf(intent, exit, yield* Clock.currentTimeMillis), [])
    })

    const attempt = Effect.fnUntraced(function*(candidate: Candidate, possibleDuplicate: boolean) {
      const startedAt = yield* Clock.currentTimeMillis
      const where = { channel: candidate.channel, provider: candidate.provider, attempt: attempts.length + 1 }
      const intent: Attempt = {
        number: where.attempt,
        channel: candidate.channel,
        provider: candidate.provider,
        state: "intent",
        kind: null,
        startedAt,
        endedAt: null,
        retryAfter: null,
        reference: null,
        error: null
      }
      const rendered = yield* Effect.sync(() => journey.render(candidate)).pipe(
        Trace.stage("render", { "tidings.provider": candidate.provider, "tidings.channel": candidate.channel })
      )
      if (Result.isFailure(rendered)) {
        const error = plain(rendered.failure.detail)
        return yield* conclude({ ...intent, state: "rejected", kind: "ContentRejected", endedAt: startedAt, error }, [])
      }
      const output: HistoryEvent = { type: "RENDERED", ts: startedAt, ...where, output: rendered.success }
      const provider = journey.providers.find(({ channel, key }) => channel === candidate.channel && key === candidate.provider)
      if (provider?._tag === "Vendor") {
        return yield* call(provider, candidate, rendered.success, intent, [
          ...(intent.number === 1 ? [output] : []),
          { type: "DELIVERING", ts: startedAt, ...where, ...(possibleDuplicate ? { possibleDuplicate } : {}) }
        ])
      }
      return yield* conclude({ ...intent, state: "accepted", endedAt: startedAt }, [output], {
        userId: message.recipient.user_id ?? "",
        tenantId: message.recipient.tenant_id ?? undefined,
        rendered: rendered.success,
        createdAt: startedAt
      })
    })

    const open = attempts.find((earlier) => earlier.state === "intent")
    if (open !== undefined) {
      const endedAt = yield* Clock.currentTimeMillis
      const error = "The owner stopped before the outcome was known"
      const ending = yield* conclude({ ...open, state: "unknown", kind: "Unknown", endedAt, error }, [])
      if (ending !== undefined) return ending
    }
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const next = position(plan, attempts, { ...journey.situation, now })
      if (next._tag !== "Next") {
        // The plan changed under stored attempts, or the deadline passed while the row waited.
        const ended = yield* write({
          message,
          epoch,
          at: now,
          lifecycle: next._tag === "Failed" ? [...(routed ? [] : towardsProvider(message)), "Undeliver"] : [],
          conditional: true,
          reason: next._tag === "Failed" ? "FAILED" : undefined,
          error: next._tag === "Failed" ? next.last?.error ?? "The message's deadline passed" : undefined,
          dueAt: null,
          events: next._tag === "Failed"
            ? [...events, { type: "UNDELIVERABLE", ts: now, reason: "FAILED", error: next.last?.error ?? "The message's deadline passed" }]
            : events
        }).pipe(Trace.stage("settle"))
        return ended._tag === "Fenced" ? fenced : closed
      }
      if (next.at - now > shortWait) {
        const waiting = yield* write({ message, epoch, at: now, lifecycle: [], conditional: true, dueAt: next.at, tries: 0, events }).pipe(
          Trace.stage("settle")
        )
        if (waiting._tag === "Fenced") return fenced
        return waiting._tag === "Refused" ? closed : { _tag: "Waiting", dueAt: next.at }
      }
      if (next.at > now) yield* Effect.sleep(next.at - now)
      const ending = yield* attempt(next.candidate, next.possibleDuplicate)
      if (ending !== undefined) return ending
    }
  })
