import { Metric } from "effect"

/** Messages accepted, by environment. */
export const accepted = Metric.counter("tidings_messages_accepted_total", {
  description: "Messages accepted and committed",
  incremental: true
})

/** Messages that reached a status that ends the engine's work on them, by `status`. */
export const settled = Metric.counter("tidings_messages_settled_total", {
  description: "Messages settled, by status",
  incremental: true
})

/** Provider calls, by `provider`, `channel` and `outcome` (accepted, or the kind of the error). */
export const attempts = Metric.counter("tidings_attempts_total", {
  description: "Attempts by provider and outcome",
  incremental: true
})

/** Attempts whose outcome nobody knows: the bound on duplicates (P4). */
export const unknownOutcomes = Metric.counter("tidings_unknown_outcomes_total", {
  description: "Attempts with an unknown outcome",
  incremental: true
})

/** Milliseconds from acceptance to the first attempt of messages due at once. */
export const acceptToFirstAttempt = Metric.histogram("tidings_accept_to_first_attempt_milliseconds", {
  description: "Milliseconds from acceptance to the first attempt",
  boundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 60_000]
})

/** Messages set aside after too many tries. */
export const quarantined = Metric.counter("tidings_messages_quarantined_total", {
  description: "Messages quarantined after five tries",
  incremental: true
})

/** Open messages whose next step was overdue when the safety sweep found them; anything above 0 is a bug (reliability.md A5). */
export const stuck = Metric.counter("tidings_stuck_messages_total", {
  description: "Overdue messages found by the safety sweep",
  incremental: true
})

/** Writes of an owner that had lost its shard. */
export const fenced = Metric.counter("tidings_fenced_writes_total", {
  description: "Writes refused because another owner has the shard",
  incremental: true
})
