import * as Gauges from "#layers/telemetry/Gauges.ts"
import { unready } from "#src/delivery/shards/Ready.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer, Schema } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { parentPort, workerData } from "node:worker_threads"

/** The messages that the server sends to a worker. */
export const Request = Schema.Literals(["report", "stop"])

/** A worker's answer to `report`. `unready`: why it is not ready, or null if it is. `metrics`: Prometheus text. */
export const Report = Schema.Struct({ unready: Schema.NullOr(Schema.String), metrics: Schema.String })
export type Report = typeof Report.Type

const given = Schema.decodeUnknownOption(Schema.Struct({ tidingsWorker: Schema.Int }))(workerData)

/** The number of this worker, counted from 1; `undefined` in the server itself. */
export const number: number | undefined = given._tag === "Some" ? given.value.tidingsWorker : undefined

const isRequest = Schema.is(Request)

/** Runs `onRequest` each time the server sends this request, until the scope closes. */
const listen = (request: typeof Request.Type, onRequest: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listener = (message: unknown) => {
        if (isRequest(message) && message === request) onRequest()
      }
      parentPort?.on("message", listener)
      return listener
    }),
    (listener) => Effect.sync(() => parentPort?.off("message", listener))
  )

/** Ends when the server asks this worker to stop. */
export const stopped: Effect.Effect<void> = Effect.scoped(
  Effect.flatMap(
    Effect.sync(() => Promise.withResolvers<void>()),
    ({ promise, resolve }) => Effect.andThen(listen("stop", () => resolve()), Effect.promise(() => promise))
  )
)

/**
 * Makes an effect that tells what this worker knows of itself. Why it is not ready and what it measures are found at the
 * same time: each may take as long as one waits for a silent database, and the server waits only a little longer.
 */
export const make = Effect.gen(function*() {
  const measure = yield* Gauges.make
  const patiently = yield* Patience.within(Patience.callers)
  const why = yield* unready({ alone: false })
  const found = Effect.catch(patiently(why), () => Effect.succeed("the database does not answer"))
  return Effect.gen(function*() {
    const [reason] = yield* Effect.all([found, measure], { concurrency: "unbounded" })
    const report: Report = { unready: reason ?? null, metrics: yield* PrometheusMetrics.format() }
    return report
  })
})

/** Answers the server's questions about this worker. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const report = yield* make
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const answer = Effect.map(report, (told) => parentPort?.postMessage(told))
  yield* listen("report", () => void run(answer))
}))
