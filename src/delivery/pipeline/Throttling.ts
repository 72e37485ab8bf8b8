import type { LimitedBy, LimitPeriod } from "#schemas/SendLimit.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import type { Decision } from "#src/delivery/pipeline/Stages.ts"
import type { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Limiting from "#src/flows/Limiting.ts"
import { type Count, SendCounts } from "#src/flows/SendCounts.ts"
import { type SendLimitRecord, SendLimits } from "#src/flows/SendLimits.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Clock, DateTime, Effect } from "effect"

const whose: Readonly<Record<LimitedBy, string>> = {
  global: "",
  user: " for its recipient",
  topic: " of its topic",
  user_topic: " of its topic for its recipient",
  tenant: " for its tenant"
}

const each: Readonly<Record<LimitPeriod, string>> = { hour: "an hour", day: "a day", week: "a week", month: "a month" }

const words = ({ most = 0, per, period, until }: Count): string =>
  `The limit of ${most === 1 ? "1 message" : `${most} messages`} ${each[period]}${whose[per]} is reached, until ${
    DateTime.formatIso(DateTime.makeUnsafe(until))
  }`

const refusal = ({ message, preferences, unknown }: Decision, reached: Count): Refusal.Refusal =>
  Refusal.knowing(Refusal.throttled(reached, words(reached)), {
    decision: preferences,
    recipient: message.recipient,
    templateId: message.templateId,
    unknown
  })

/** What a message adds to. */
const talliesOf = (
  limits: ReadonlyArray<SendLimitRecord>,
  { message: { recipient, recipientKey }, topic }: Decision
): ReadonlyArray<Limiting.Tally> => {
  const limited = {
    recipientKey,
    userId: recipient.user_id ?? undefined,
    topicId: topic?.id,
    tenantId: recipient.tenant_id ?? undefined
  }
  return limits.flatMap((limit) => Limiting.tallyOf(limit, limited) ?? [])
}

/**
 * The stage that counts a message, which has somewhere to go by now, and ends it if it would be one too many (api.md
 * 26.7). What has nowhere to go counts nowhere, which is why this stage comes behind the route. `stored` waits until a
 * message that is in hand already is stored too: a count of one that is not could be made twice.
 */
export const make = Effect.fnUntraced(function*(stored: FirstSteps["Service"]["stored"]) {
  const limits = yield* SendLimits
  const counts = yield* SendCounts

  const tallies = (decision: Decision): Effect.Effect<ReadonlyArray<Limiting.Tally>> =>
    Effect.map(Write.patiently(limits.installed(decision.message.scope)), (limits) => talliesOf(limits, decision))

  /** Whether it is stored, and counted now or before. */
  const counted = Effect.fnUntraced(function*({ id, scope }: OpenMessage, all: ReadonlyArray<Limiting.Tally>) {
    yield* stored(id)
    // It goes into the hour in which it is sent, which has begun only when a store that was away is there again.
    return yield* Write.patiently(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        counts.take({
          scope,
          messageId: id,
          counts: all.map((tally) => Limiting.countAt(tally, now))
        }))
    )
  }, Trace.stage("limits"))

  /**
   * Counts a message that is to be sent now, once, however often it is begun. Answers whether it may be sent: not so one
   * that is not stored.
   */
  const take = (decision: Decision): Effect.Effect<boolean, Refusal.Refusal> =>
    Effect.flatMap(tallies(decision), (all) =>
      all.length === 0
        ? Effect.succeed(true)
        : Effect.flatMap(
          counted(decision.message, all),
          (taken) =>
            taken._tag === "Reached"
              ? Effect.fail(refusal(decision, taken.count))
              : Effect.succeed(taken._tag === "Counted")
        ))

  /** Refuses a message that would not be sent at `now` (epoch ms). Nothing is counted. */
  const look = Effect.fnUntraced(function*(decision: Decision, now: number): Effect.fn.Return<void, Refusal.Refusal> {
    const all = (yield* tallies(decision)).map((tally) => Limiting.countAt(tally, now))
    if (all.length === 0) return
    const used = yield* Write.patiently(counts.used(decision.message.scope, all))
    const reached = all.find(({ most }, n) => most !== undefined && (used[n] ?? 0) >= most)
    if (reached !== undefined) return yield* refusal(decision, reached)
  })

  return { look, take }
})
