import { Outbound, type OutboundError, type OutboundUnknown } from "#src/delivery/Outbound.ts"
import * as RetryAfter from "#src/delivery/attempts/RetryAfter.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import type { Claimed, WebhookEvent } from "#src/reports/webhooks/Outbox.ts"
import type { Outcome } from "#src/reports/webhooks/Round.ts"
import * as Signatures from "#src/reports/webhooks/Signatures.ts"
import * as Updated from "#src/reports/webhooks/Updated.ts"
import { Clock, Duration, Effect, Metric } from "effect"

/** For one call, from the name look-up to the last byte of the answer, in ms. */
const deadlineMs = 10_000

/** Calls of one webhook at once. */
const together = 16

/** No call of a round begins later than so many monotonic ns after the first: with its deadline, it ends within the claim. */
const longest = Duration.toNanosUnsafe("10 seconds")

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

/** A status says what became of a call, also if the rest of its answer did not come. */
const heard = (error: OutboundUnknown) =>
  error.status === undefined || error.status < 200
    ? Effect.fail(error)
    : Effect.succeed({ status: error.status, headers: {} })

/** Calls webhooks. */
export const make = Effect.gen(function*() {
  const outbound = yield* Outbound
  const log = yield* MessageLog

  const post = Effect.fnUntraced(function*({ secrets, url }: Claimed, id: string, body: string) {
    if (secrets.length === 0) return failed("Its secret cannot be read")
    const at = yield* Clock.currentTimeMillis
    const answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> } = yield* outbound
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
      }).pipe(Effect.catchTag("OutboundUnknown", heard))
    if (answer.status >= 200 && answer.status < 300) return { _tag: "Told" } satisfies Outcome
    const now = yield* Clock.currentTimeMillis
    const isBusy = answer.status === 429 || answer.status === 503
    return failed(`It answered ${answer.status}`, {
      retryAfter: isBusy ? RetryAfter.parse(answer.headers["retry-after"], now) : undefined,
      isGone: answer.status === 410
    })
  }, Effect.catch((error: OutboundError) => Effect.succeed(failed(error.detail))))

  /** What is told of each event, as JSON; nothing of a message that is gone. */
  const bodies = Effect.fnUntraced(function*({ events, scope }: Claimed) {
    const ids = new Set(
      events.flatMap(({ happened }) => happened.type === "message:updated" ? [happened.messageId] : [])
    )
    const snapshots = new Map((yield* log.snapshots(scope, [...ids])).map((found) => [found.record.id, found]))
    return Effect.fnUntraced(function*({ happened, storedAt }: WebhookEvent) {
      if (happened.type !== "message:updated") return `{"type":"${happened.type}","data":${happened.data}}`
      const { messageId, status, type } = happened
      const found = snapshots.get(messageId)
      if (found === undefined) return undefined
      const update = { status, storedAt }
      const timeline = Updated.needsTimeline(found, update) ? yield* log.history(scope, messageId) : []
      return JSON.stringify({ type, data: Updated.data(found, update, timeline) })
    }, Effect.catchTag("MessageNotFound", () => Effect.succeed(undefined)))
  })

  /**
   * Tells a webhook its events, some at once, and notes in `outcomes` what came of each: of none that was not tried or
   * whose call was interrupted.
   */
  return Effect.fnUntraced(function*(claimed: Claimed, outcomes: Map<string, Outcome>) {
    const bodyOf = yield* bodies(claimed)
    const began = yield* Clock.monotonicTimeNanos
    let failures = 0
    let isReached = false
    const tell = Effect.fnUntraced(function*(event: WebhookEvent) {
      if (failures >= enough && !isReached || (yield* Clock.monotonicTimeNanos) - began > longest) return
      const body = yield* bodyOf(event)
      const outcome: Outcome = body === undefined ? { _tag: "Void" } : yield* post(claimed, event.id, body)
      outcomes.set(event.id, outcome)
      if (outcome._tag === "Told") isReached = true
      if (outcome._tag === "Failed") failures++
      if (outcome._tag !== "Void") {
        yield* Metric.update(Metrics.webhookCalls({ outcome: outcome._tag === "Told" ? "told" : "failed" }), 1)
      }
    })
    yield* Effect.forEach(claimed.events, tell, { concurrency: together, discard: true })
  })
})
