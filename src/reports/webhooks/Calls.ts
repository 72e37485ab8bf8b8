import { answered, Outbound, type OutboundError, type OutboundResponse } from "#src/delivery/Outbound.ts"
import * as RetryAfter from "#src/delivery/attempts/RetryAfter.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import type { Claimed, WebhookEvent } from "#src/reports/webhooks/Outbox.ts"
import type { Outcome } from "#src/reports/webhooks/Round.ts"
import * as Signatures from "#src/reports/webhooks/Signatures.ts"
import * as Updated from "#src/reports/webhooks/Updated.ts"
import * as Patience from "#src/store/Patience.ts"
import { Clock, Duration, Effect, Metric } from "effect"

/** For one call, from the name look-up to the last byte of the answer, in ms. */
const deadlineMs = 10_000

/** Calls of one webhook at once. */
const together = 32

/** No call of a round begins later than so many monotonic ns after its claim: with its deadline, it ends within that. */
const longest = Duration.toNanosUnsafe("10 seconds")

/** How long the messages of a round, or the timeline of one, are waited for. */
const patience = "5 seconds"

/** A round in which nobody answers ends after so many calls: the others would fail as well, and each uses up a try. */
const enough = 5

const failed = (
  error: string,
  more: { readonly retryAfter?: number | undefined; readonly isGone?: boolean } = {}
): Outcome => ({
  _tag: "Failed",
  error,
  retryAfter: more.retryAfter,
  isGone: more.isGone ?? false
})

/** What another version has written; it may be able to tell it. */
const newer = failed("It is of a version that this one cannot read")

/** Its message is gone. */
const nothing: Outcome = { _tag: "Void" }

/** Calls webhooks. */
export const make = Effect.gen(function*() {
  const outbound = yield* Outbound
  const log = yield* MessageLog
  const patiently = yield* Patience.asking(patience)

  const post = Effect.fnUntraced(function*({ secrets, url }: Claimed, id: string, body: string) {
    if (secrets.length === 0) return failed("Its secret cannot be read")
    const at = yield* Clock.currentTimeMillis
    const answer: Pick<OutboundResponse, "headers" | "status"> = yield* outbound
      .request({
        method: "POST",
        url,
        headers: {
          "content-type": "application/json",
          "user-agent": "Tidings",
          ...Signatures.headers(secrets, { id, at, body })
        },
        body,
        deadlineMs
      }).pipe(Effect.catchTag("OutboundUnknown", answered))
    if (answer.status >= 200 && answer.status < 300) return { _tag: "Told" } satisfies Outcome
    const now = yield* Clock.currentTimeMillis
    const isBusy = answer.status === 429 || answer.status === 503
    return failed(`It answered ${answer.status}`, {
      retryAfter: isBusy ? RetryAfter.parse(answer.headers["retry-after"], now) : undefined,
      isGone: answer.status === 410
    })
  }, Effect.catch((error: OutboundError) => Effect.succeed(failed(error.detail))))

  /** What is told of each event, as JSON; `Void` of a message that is gone. */
  const bodies = Effect.fnUntraced(function*({ events, scope }: Claimed) {
    const ids = new Set(
      events.flatMap(({ happened }) => happened?.type === "message:updated" ? [happened.messageId] : [])
    )
    const { snapshots, unreadable } = yield* patiently(log.snapshots(scope, [...ids]))
    const found = new Map(snapshots.map((snapshot) => [snapshot.record.id, snapshot]))
    return Effect.fnUntraced(function*({ happened, storedAt }: WebhookEvent) {
      if (happened === undefined) return newer
      if (happened.type !== "message:updated") return `{"type":"${happened.type}","data":${happened.data}}`
      const { messageId, status, type } = happened
      const snapshot = found.get(messageId)
      if (snapshot === undefined) return unreadable.includes(messageId) ? newer : nothing
      const update = { status, storedAt }
      const timeline = Updated.needsTimeline(snapshot, update) ? yield* patiently(log.history(scope, messageId)) : []
      return JSON.stringify({ type, data: Updated.data(snapshot, update, timeline) })
    }, Effect.catchTag("MessageNotFound", () => Effect.succeed(nothing)))
  })

  /**
   * Tells a webhook its events, some at once, and notes in `outcomes` what came of each: nothing of one that was not
   * tried, or whose call was interrupted. `began`: a monotonic time before it was claimed. Fails if the store is away; of
   * calls under way by then it is known what came of them.
   */
  return Effect.fnUntraced(function*(claimed: Claimed, began: bigint, outcomes: Map<string, Outcome>) {
    const bodyOf = yield* bodies(claimed)
    let failures = 0
    let isReached = false
    let lost: StoreUnavailable | undefined
    const tried = (event: WebhookEvent) =>
      bodyOf(event).pipe(
        Effect.flatMap((body) => typeof body === "string" ? post(claimed, event.id, body) : Effect.succeed(body)),
        Effect.catchDefect((defect) =>
          Effect.as(
            Effect.logError("an event cannot be told", { webhook: claimed.id }, defect),
            failed("It cannot be told")
          )
        )
      )
    const tell = Effect.fnUntraced(function*(event: WebhookEvent) {
      if (lost !== undefined || failures >= enough && !isReached) return
      if ((yield* Clock.monotonicTimeNanos) - began > longest) return
      const outcome = yield* tried(event)
      outcomes.set(event.id, outcome)
      if (outcome._tag === "Void") return
      if (outcome._tag === "Told") isReached = true
      else failures++
      yield* Metric.update(Metrics.webhookCalls({ outcome: outcome._tag === "Told" ? "told" : "failed" }), 1)
    }, Effect.catch((error) => Effect.sync(() => void (lost = error))))
    yield* Effect.forEach(claimed.events, tell, { concurrency: together, discard: true })
    if (lost !== undefined) return yield* lost
  })
})
