import { Report, type Request } from "#layers/cluster/Worker.ts"
import { Context, Effect, Layer, Schema } from "effect"
import process from "node:process"
import { Worker } from "node:worker_threads"

/** A worker drains as a node does; one that does not is ended, in ms. */
const longestStop = 20_000

/** A worker that died is started anew. Its shards are owned elsewhere before. */
const restartAfter = "1 second"

const reportPatience = "2 seconds"

/** The engine workers of this server. */
export class Workers extends Context.Service<Workers, {
  /** How each is; one that does not answer is not ready. */
  readonly reports: Effect.Effect<ReadonlyArray<Report>>
}>()("tidings/cluster/Workers") {}

const isReport = Schema.is(Report)

const say = (worker: Worker, request: typeof Request.Type) => Effect.sync(() => worker.postMessage(request))

const stop = (worker: Worker, gone: Effect.Effect<unknown>) =>
  Effect.andThen(say(worker, "stop"), gone).pipe(
    Effect.timeoutOrElse({ duration: longestStop, orElse: () => Effect.promise(() => worker.terminate()) }),
    Effect.uninterruptible
  )

const report = (worker: Worker): Effect.Effect<Report> =>
  Effect.callback<Report>((resume) => {
    const listener = (message: unknown) => {
      if (isReport(message)) resume(Effect.succeed(message))
    }
    worker.on("message", listener)
    worker.postMessage("report" satisfies typeof Request.Type)
    return Effect.sync(() => worker.off("message", listener))
  }).pipe(
    Effect.timeoutOrElse({
      duration: reportPatience,
      orElse: () => Effect.succeed({ unready: "a worker does not answer", metrics: "" })
    })
  )

/**
 * Runs the program of this process `count` times more, each in a thread of its own, as nodes of the same cluster that serve no HTTP
 * (`Worker.number` tells them apart). One that ends is started again; all are drained at once when the scope closes.
 */
export const layer = (count: number) =>
  Layer.effect(
    Workers,
    Effect.gen(function*() {
      const running = new Map<number, Worker>()
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      const life = Effect.fnUntraced(function*(number: number) {
        const worker = new Worker(process.argv[1] ?? "", { workerData: { tidingsWorker: number } })
        let failure: unknown
        worker.on("error", (error) => {
          failure = error
        })
        const ended = new Promise<number>((resolve) => worker.on("exit", resolve))
        const gone = Effect.promise(() => ended)
        running.set(number, worker)
        const code = yield* gone.pipe(
          Effect.onInterrupt(() => stop(worker, gone)),
          Effect.ensuring(Effect.sync(() => running.delete(number)))
        )
        yield* Effect.logError("a worker ended", { worker: number, code }, failure)
      })
      /** One that cannot even begin, for want of memory say, takes no other's life along. */
      const lives = (number: number) =>
        life(number).pipe(
          Effect.catchDefect((defect) => Effect.logError("a worker cannot be started", { worker: number }, defect)),
          Effect.andThen(Effect.sleep(restartAfter)),
          Effect.forever
        )
      yield* Effect.forEach(numbers, lives, { concurrency: "unbounded", discard: true }).pipe(Effect.forkScoped)
      return Workers.of({
        reports: Effect.forEach(
          numbers,
          (number) => {
            const worker = running.get(number)
            return worker === undefined
              ? Effect.succeed({ unready: "a worker is starting", metrics: "" })
              : report(worker)
          },
          { concurrency: "unbounded" }
        )
      })
    })
  )
