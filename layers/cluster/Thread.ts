import { said } from "#layers/CannotStart.ts"
import * as Link from "#layers/cluster/Link.ts"
import { Arrived, type Behind, Failed, type Handed, pong, Report, type Request } from "#layers/cluster/Protocol.ts"
import type { Given } from "#layers/cluster/Worker.ts"
import type { Invalidation } from "#layers/postgres/notices/Invalidations.ts"
import { Taking } from "#src/delivery/Shards.ts"
import { Effect, Schema } from "effect"
import process from "node:process"
import { Worker } from "node:worker_threads"

/** A worker drains as a node does; one that has not ended after so many ms is terminated. */
const longestStop = 20_000

/** A worker whose database is silent says so after 2 s (`Patience.callers`), which must still be heard. */
const reportPatience = "3 seconds"

/** How often a worker is asked whether it works. */
const pingInterval = "2 seconds"

/**
 * After so many questions without an answer it may have lost its shards: the database ends the session of an owner of
 * whom it has heard nothing for 8 s.
 */
const silentAfter = 3

/** After so many answers it has heard what it lost meanwhile: the cluster looks after its locks every 2 s. */
const steadyAfter = 5

/** After so many without an answer, it does not come back: one message has its thread in a loop without end. */
const mostUnanswered = 15

/** Deno (2.9) answers that it has ended a thread that is in a loop, and the thread goes on. */
const canEndLoops = process.versions["deno"] === undefined

const isReport = Schema.is(Report)
const isTaking = Schema.is(Taking)
const isArrived = Schema.is(Arrived)
const isFailed = Schema.is(Failed)

/** The report of a worker that made none. */
export const absent = (unready: string): Report => ({ unready, metrics: "" })

/** How a worker ended, and whether it had been at work. `reason`: as it said itself, or what it threw (`error`). */
export interface End {
  readonly hasStarted: boolean
  readonly code: number
  readonly reason: string | undefined
  readonly error: unknown
}

/** An engine worker, as its server knows it. */
export interface Thread {
  readonly link: Link.Link
  readonly say: (said: Behind | Handed | Invalidation | Request) => void
  /** One that has ended, or does not answer, is reported as not ready. */
  readonly report: Effect.Effect<Report>
  readonly ended: Effect.Effect<End>
  /** Ends once the worker has not answered for half a minute. It is not asked before it has started. */
  readonly stuck: Effect.Effect<void>
  /** Ends one that is stuck; where that cannot be done, the whole process, which is to be started again. */
  readonly kill: Effect.Effect<void>
  /** Tells it to drain, and waits for that. */
  readonly stop: Effect.Effect<void>
}

/**
 * Starts a thread with this program. `started` is called when it says what it takes, so that it is at work; `ended`
 * before anybody else hears of its end. Each event has one listener for the worker's life: those of each question would
 * pile up, since `Effect.callback` removes them only when interrupted.
 */
export const start = (
  program: string | URL,
  given: typeof Given.Type,
  on: { readonly started: () => void; readonly ended: () => void }
): Thread => {
  const worker = new Worker(program, { workerData: given })
  const say: Thread["say"] = (said) => worker.postMessage(said)
  const link = Link.make(say)
  const asking = new Set<(report: Report) => void>()
  let hasStarted = false
  let unanswered = 0
  let answered = 0
  let failure: string | undefined
  let error: unknown

  const answer = (report: Report) => {
    const told = [...asking]
    asking.clear()
    for (const tell of told) tell(report)
  }
  worker.on("message", (message: unknown) => {
    if (isArrived(message)) link.heard(message)
    else if (isTaking(message)) {
      link.heard(message)
      hasStarted = true
      on.started()
    } else if (message === pong) {
      unanswered = 0
      answered++
      if (answered >= steadyAfter) link.silent(false)
    } else if (isReport(message)) answer(message)
    else if (isFailed(message)) failure = message.failed
  })
  worker.on("error", (thrown) => {
    error = thrown
  })
  const { promise, resolve } = Promise.withResolvers<End>()
  worker.on("exit", (code) => {
    on.ended()
    answer(absent("a worker has ended"))
    resolve({ hasStarted, code, reason: failure ?? (error === undefined ? undefined : said(error)), error })
  })

  const ended = Effect.promise(() => promise)
  const terminate = Effect.asVoid(Effect.promise(() => worker.terminate()))
  const isStuck = Effect.sync(() => {
    if (!hasStarted) return false
    if (unanswered >= silentAfter) {
      answered = 0
      link.silent(true)
    }
    if (unanswered >= mostUnanswered) return true
    unanswered++
    say("ping")
    return false
  })
  return {
    link,
    say,
    // Those who ask while an answer is awaited hear that one: a worker that is busy is not asked for many.
    report: Effect.callback<Report>((resume) => {
      const tell = (answer: Report) => resume(Effect.succeed(answer))
      if (asking.size === 0) say("report")
      asking.add(tell)
      return Effect.sync(() => asking.delete(tell))
    }).pipe(
      Effect.timeoutOrElse({
        duration: reportPatience,
        orElse: () => Effect.succeed(absent("a worker does not answer"))
      })
    ),
    ended,
    stuck: Effect.asVoid(Effect.repeat(Effect.delay(isStuck, pingInterval), { until: (is) => is })),
    kill: canEndLoops ? terminate : Effect.sync(() => process.exit(1)),
    stop: Effect.andThen(Effect.sync(() => say("stop")), ended).pipe(
      Effect.timeoutOrElse({ duration: longestStop, orElse: () => terminate }),
      Effect.asVoid,
      Effect.uninterruptible
    )
  }
}
