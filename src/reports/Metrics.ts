import type { LimitedBy, LimitPeriod } from "#schemas/SendLimit.ts"
import type { Status } from "#schemas/Status.ts"
import type { SuppressionReason } from "#schemas/Suppression.ts"
import { Effect, Metric } from "effect"

/** Updates a metric in one step of its fiber, where `Metric.update` takes two: each message does it three times. */
export const update = <Input>(metric: Metric.Metric<Input, unknown>, input: Input): Effect.Effect<void> =>
  Effect.withFiberSucceed((fiber) => metric.updateUnsafe(input, fiber.context))

/** Messages accepted and committed. */
export const accepted = Metric.counter("tidings_messages_accepted_total", {
  description: "Messages accepted and committed",
  incremental: true
})

/**
 * A metric with attributes. Each series is made once and kept: `Metric.withAttributes` would look it up anew at every
 * update.
 */
const series = <A extends Readonly<Record<string, string>>, M>(make: (attributes: A) => M) => {
  const known = new Map<string, M>()
  return (attributes: A): M => {
    const name = Object.values(attributes).join("\n")
    const found = known.get(name)
    if (found !== undefined) return found
    const made = make(attributes)
    known.set(name, made)
    return made
  }
}

const by = <A extends Readonly<Record<string, string>>>(id: string, description: string) =>
  series((attributes: A) => Metric.counter(id, { description, attributes, incremental: true }))

/** Messages that reached a final status, by `status`. */
export const settled = by<{ readonly status: Status }>("tidings_messages_settled_total", "Messages settled, by status")

/** Provider calls, by `provider`, `channel` and `outcome` (accepted, or the kind of the error). */
export const attempts = by<{
  readonly provider: string
  readonly channel: string
  readonly outcome: string
}>("tidings_attempts_total", "Attempts by provider and outcome")

/** What providers report of messages, once for each event, by `provider` (as `attempts` has it) and `event`. */
export const receipts = by<{ readonly provider: string; readonly event: string }>(
  "tidings_receipts_total",
  "What providers told of messages, by provider and event"
)

/** Channels that messages did not go through, since the recipient's address is suppressed, by `channel` and `reason`. */
export const suppressed = by<{
  readonly channel: string
  readonly reason: SuppressionReason
}>("tidings_suppressed_channels_total", "Channels left out of messages for a suppressed address, by reason")

/** Messages that a send limit has ended, by what it counts (`per`) and its `period`. */
export const throttled = by<{ readonly per: LimitedBy; readonly period: LimitPeriod }>(
  "tidings_throttled_messages_total",
  "Messages ended by a send limit, by limit"
)

/** Calls of webhooks, by `outcome`. */
export const webhookCalls = by<{ readonly outcome: "failed" | "told" }>(
  "tidings_webhook_calls_total",
  "Calls of webhooks, by outcome"
)

/** How fast a provider is called that takes no more for now, by `provider` and `channel` (`RateGate`). */
export const callRate = (attributes: { readonly provider: string; readonly channel: string }) =>
  Metric.gauge("tidings_provider_call_rate", {
    description: "Calls a second that are made of a provider that takes no more for now, 0 while it takes all",
    attributes
  })

/** Messages that wait for such a provider, by `provider` and `channel`. */
export const waitingForProvider = (attributes: { readonly provider: string; readonly channel: string }) =>
  Metric.gauge("tidings_provider_waiting_messages", {
    description: "Messages in this engine's hands that wait for a provider that takes no more for now",
    attributes
  })

/** Attempts whose outcome is unknown: the upper bound on duplicates (P4). */
export const unknownOutcomes = Metric.counter("tidings_unknown_outcomes_total", {
  description: "Attempts with an unknown outcome",
  incremental: true
})

/** Seconds from acceptance to the first attempt of messages due at once. */
export const acceptToFirstAttempt = Metric.histogram("tidings_accept_to_first_attempt_seconds", {
  description: "Seconds from acceptance to the first attempt",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60]
})

/** Messages set aside after too many tries. */
export const quarantined = Metric.counter("tidings_messages_quarantined_total", {
  description: "Messages quarantined after five tries",
  incremental: true
})

/** Messages made from requests to many recipients. */
export const expanded = Metric.counter("tidings_expanded_messages_total", {
  description: "Messages made of requests to lists, audiences, tenants and many recipients",
  incremental: true
})

/** Requests to many recipients set aside after too many tries. */
export const expansionsQuarantined = Metric.counter("tidings_expansions_quarantined_total", {
  description: "Requests to many quarantined after five tries",
  incremental: true
})

/**
 * Parts of the upkeep of audiences that cannot be done and were set aside: a membership that cannot be stored, or a
 * filter that does not decode.
 */
export const audienceSetAside = Metric.counter("tidings_audience_steps_set_aside_total", {
  description: "Memberships and filters of audiences that were set aside",
  incremental: true
})

/**
 * Ready messages that a look found some time after their acceptance, though their node took itself to have all: they had
 * been overlooked. Anything above 0 is a bug (reliability.md A5).
 */
export const stuck = Metric.counter("tidings_stuck_messages_total", {
  description: "Ready messages that had been overlooked until a look found them",
  incremental: true
})

/** Writes that were refused because their node no longer owned the shard (P2). */
export const fenced = Metric.counter("tidings_fenced_writes_total", {
  description: "Writes refused because another owner has the shard",
  incremental: true
})

/**
 * Seconds from a request's headers to the end of its answer, by `method`, `route` (its path as the reference has it) and
 * `status`.
 */
export const requests = series((attributes: {
  readonly method: string
  readonly route: string
  readonly status: string
}) =>
  Metric.histogram("tidings_http_request_duration_seconds", {
    description: "Seconds from a request's headers to the end of its answer",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    attributes
  })
)

/** Sends refused with 503 because they would have waited too long for their turn. */
export const overloaded = Metric.counter("tidings_requests_overloaded_total", {
  description: "Sends answered with 503 because the node has more to do than it can",
  incremental: true
})

/** How many sends may run at once, as adapted to their latency (`Admission`). */
export const admissionLimit = Metric.gauge("tidings_admission_limit", {
  description: "Sends that are worked on at once at most; the others wait or are refused"
})

/** The counters without attributes: they are reported from the start, even at 0. */
export const counters = [
  accepted,
  expanded,
  expansionsQuarantined,
  unknownOutcomes,
  quarantined,
  audienceSetAside,
  stuck,
  fenced,
  overloaded
]
