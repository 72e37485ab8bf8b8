import {
  type Arrived,
  Behind,
  decode,
  type Failed,
  Handed,
  pong,
  type Report,
  type Request
} from "#layers/cluster/Protocol.ts"
import { Invalidation, Invalidations } from "#layers/postgres/notices/Invalidations.ts"
import * as Gauges from "#layers/telemetry/Gauges.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { unready } from "#src/delivery/shards/Ready.ts"
import { Shards } from "#src/delivery/Shards.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer, Schema } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { parentPort, workerData } from "node:worker_threads"

/** What a server tells a worker that it starts: which one it is, counted from 1, and of which node (`NodeId`). */
export const Given = Schema.Struct({ tidingsWorker: Schema.Int, tidingsNode: Schema.String })

const decoded = Schema.decodeUnknownOption(Given)(workerData)

/** `undefined` in the server itself. */
export const given: typeof Given.Type | undefined = decoded._tag === "Some" ? decoded.value : undefined

const isHanded = Schema.is(Handed)
const isBehind = Schema.is(Behind)
const isInvalidation = Schema.is(Invalidation)

/** Runs `onMessage` with whatever the server says, until the scope closes. */
const listen = (onMessage: (message: unknown) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => void parentPort?.on("message", onMessage)),
    () => Effect.sync(() => parentPort?.off("message", onMessage))
  )

/** Runs `onRequest` each time the server sends this request, until the scope closes. */
const listenFor = (request: Request, onRequest: () => void) =>
  listen((message) => {
    if (message === request) onRequest()
  })

/** Ends when the server asks this worker to stop. */
export const stopped: Effect.Effect<void> = Effect.scoped(
  Effect.flatMap(
    Effect.sync(() => Promise.withResolvers<void>()),
    ({ promise, resolve }) => Effect.andThen(listenFor("stop", () => resolve()), Effect.promise(() => promise))
  )
)

/** Tells the server why this worker ends. */
export const failed = (reasons: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => parentPort?.postMessage({ failed: reasons.join("\n") } satisfies Failed))

/** Makes an effect that tells what this worker knows of itself: why it is not ready, and what it has counted. */
export const make = Effect.gen(function*() {
  const measure = yield* Gauges.make({ engine: true, store: false })
  const patiently = yield* Patience.within(Patience.callers)
  const why = yield* unready({ alone: false })
  const found = Effect.catch(patiently(why), () => Effect.succeed("the database does not answer"))
  return Effect.gen(function*() {
    const reason = yield* found
    yield* measure
    const report: Report = { unready: reason ?? null, metrics: yield* PrometheusMetrics.format() }
    return report
  })
})

/**
 * Takes what the server's journal hands over, in the order in which it says it, and hears of its changes. That it has
 * arrived is answered once there is room for more (`Handover.room`). What the worker takes is told only once it listens.
 */
const takeOver = Effect.gen(function*() {
  const handover = yield* Handover
  const invalidations = yield* Invalidations
  const { watch } = yield* Shards
  const take = (message: unknown): Effect.Effect<void> => {
    if (isHanded(message)) return handover.offer(decode(message.handed))
    if (isBehind(message)) return handover.behind(message.behind)
    if (isInvalidation(message)) return invalidations.tell(message)
    return message === "stir" ? handover.stir : Effect.void
  }
  const run = (yield* Fibers.runner)(yield* Effect.context<never>())
  let unanswered = 0
  const answer = Effect.andThen(
    handover.room,
    Effect.sync(() => {
      parentPort?.postMessage({ arrived: unanswered } satisfies Arrived)
      unanswered = 0
    })
  )
  yield* listen((message) => {
    Effect.runSync(take(message))
    if (!isHanded(message)) return
    const isFirst = unanswered === 0
    unanswered += message.handed.length
    if (isFirst) void run(answer)
  })
  yield* listenFor("ping", () => parentPort?.postMessage(pong))
  yield* watch((taking) => parentPort?.postMessage(taking))
})

/** Answers the server's questions about this worker, and takes what it hands over. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  yield* takeOver
  const report = yield* make
  const run = (yield* Fibers.runner)(yield* Effect.context<never>())
  const answer = Effect.map(report, (told) => parentPort?.postMessage(told))
  yield* listenFor("report", () => void run(answer))
}))
