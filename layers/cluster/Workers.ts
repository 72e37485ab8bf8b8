import { said, WorkerFailed } from "#layers/CannotStart.ts"
import * as Link from "#layers/cluster/Link.ts"
import { NodeId } from "#layers/cluster/NodeId.ts"
import { Arrived, Failed, Report, type Request } from "#layers/cluster/Protocol.ts"
import type { Given } from "#layers/cluster/Worker.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Taking } from "#src/delivery/Shards.ts"
import { Context, Deferred, Effect, Exit, Layer, Schema, type Scope } from "effect"
import process from "node:process"
import { Worker } from "node:worker_threads"

/** A worker drains as a node does; one that has not ended after so many ms is terminated. */
const longestStop = 20_000

/** After this, a worker that died is started again. If there are others, its shards are theirs by then. */
const restartAfter = "1 second"

/** A worker whose database is silent says so after 2 s (`Patience.callers`), which must still be heard. */
const reportPatience = "3 seconds"

/** The engine workers of this server. */
export class Workers extends Context.Service<Workers, {
  /** The report of each worker; one that does not answer is reported as not ready. */
  readonly reports: Effect.Effect<ReadonlyArray<Report>>
  /** How many shards they own. */
  readonly owned: Effect.Effect<number>
  /** Tells them to drain, for good; the end of the scope waits for it. */
  readonly stop: Effect.Effect<void>
}>()("tidings/cluster/Workers") {}

const isReport = Schema.is(Report)
const isTaking = Schema.is(Taking)
const isArrived = Schema.is(Arrived)
const isFailed = Schema.is(Failed)

const absent = (unready: string): Report => ({ unready, metrics: "" })

const say = (worker: Worker, request: Request) => Effect.sync(() => worker.postMessage(request))

const stop = (worker: Worker, gone: Effect.Effect<unknown>) =>
  Effect.andThen(say(worker, "stop"), gone).pipe(
    Effect.timeoutOrElse({ duration: longestStop, orElse: () => Effect.promise(() => worker.terminate()) }),
    Effect.uninterruptible
  )

/** A running worker, and the callers that wait for its next report. */
interface Running {
  readonly worker: Worker
  readonly asking: Set<(report: Report) => void>
  readonly link: Link.Link
  /** Why it ended, as it said itself. */
  readonly failure: () => string | undefined
}

/**
 * Adds listeners for the worker's life. Those of each question would pile up, since `Effect.callback` removes them only
 * when interrupted. Who asks a worker that ends meanwhile is told so at once. `started` is called when the worker says
 * for the first time what it takes.
 */
const running = (worker: Worker, started: () => void): Running => {
  const asking: Running["asking"] = new Set()
  const link = Link.make((said) => worker.postMessage(said))
  let failure: string | undefined
  const answer = (report: Report) => {
    const told = [...asking]
    asking.clear()
    for (const tell of told) tell(report)
  }
  worker.on("message", (message: unknown) => {
    if (isArrived(message)) link.heard(message)
    else if (isTaking(message)) {
      link.heard(message)
      started()
    } else if (isReport(message)) answer(message)
    else if (isFailed(message)) failure = message.failed
  })
  worker.on("exit", () => answer(absent("a worker has ended")))
  return { worker, asking, link, failure: () => failure }
}

const report = ({ asking, worker }: Running): Effect.Effect<Report> =>
  Effect.callback<Report>((resume) => {
    const tell = (answer: Report) => resume(Effect.succeed(answer))
    asking.add(tell)
    worker.postMessage("report" satisfies Request)
    return Effect.sync(() => asking.delete(tell))
  }).pipe(
    Effect.timeoutOrElse({
      duration: reportPatience,
      orElse: () => Effect.succeed(absent("a worker does not answer"))
    })
  )

/**
 * Runs the program of this process `count` times more, each in a thread of its own, as nodes of the cluster that serve
 * no HTTP (`Worker.given` tells them apart), and hands them what this process accepts. All have started when this layer
 * is built: what keeps one from it fails the start. One that ends later is started again; all are drained at once when
 * the scope closes.
 */
export const layer = (count: number, program: string | URL = process.argv[1] ?? "") =>
  Layer.effect(
    Workers,
    Effect.gen(function*() {
      const handover = yield* Handover
      const node = yield* NodeId
      const alive = new Map<number, Running>()
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      const starts = new Map(numbers.map((number) => [number, Deferred.makeUnsafe<void, WorkerFailed>()] as const))
      let isStopping = false

      /** A worker has ended for this reason: the start fails, if this was one; else it is logged. */
      const ended = Effect.fnUntraced(function*(number: number, reason: string, more: object, cause: unknown) {
        const start = starts.get(number)
        const isStart = start !== undefined && (yield* Deferred.fail(start, new WorkerFailed({ message: reason })))
        if (!isStart && !isStopping) yield* Effect.logError("a worker ended", { worker: number, ...more }, cause)
      })

      const life = Effect.fnUntraced(function*(number: number): Effect.fn.Return<void, never, Scope.Scope> {
        const given: typeof Given.Type = { tidingsWorker: number, tidingsNode: node }
        const worker = new Worker(program, { workerData: given })
        let error: unknown
        worker.on("error", (thrown) => {
          error = thrown
        })
        const exit = new Promise<number>((resolve) => worker.on("exit", resolve))
        const gone = Effect.promise(() => exit)
        // Before those who ask it are told, since they may ask again at once.
        worker.on("exit", () => alive.delete(number))
        const start = starts.get(number)
        const one = running(worker, () => start !== undefined && Deferred.doneUnsafe(start, Exit.void))
        alive.set(number, one)
        yield* handover.connect(one.link.receiver)
        const code = yield* Effect.onInterrupt(gone, () => stop(worker, gone))
        const reason = one.failure() ?? (error === undefined ? undefined : said(error))
        yield* ended(number, reason ?? `an engine worker ended with ${code}`, { code, reason }, error)
      })
      /** Keeps a worker running. If it cannot even be started, such as for want of memory, the others go on. */
      const lives = (number: number) =>
        Effect.scoped(life(number)).pipe(
          Effect.catchDefect((defect) => ended(number, `no engine worker can be started: ${said(defect)}`, {}, defect)),
          Effect.andThen(Effect.sleep(restartAfter)),
          Effect.repeat({ until: () => isStopping })
        )
      yield* Effect.forEach(numbers, lives, { concurrency: "unbounded", discard: true }).pipe(Effect.forkScoped)
      yield* Effect.forEach(starts.values(), Deferred.await, { concurrency: "unbounded", discard: true })
      return Workers.of({
        reports: Effect.forEach(
          numbers,
          (number) => {
            const one = alive.get(number)
            return one === undefined
              ? Effect.succeed(absent("a worker is starting"))
              : report(one)
          },
          { concurrency: "unbounded" }
        ),
        owned: Effect.sync(() => alive.values().reduce((sum, { link }) => sum + link.taking().shards.length, 0)),
        stop: Effect.suspend(() => {
          isStopping = true
          return Effect.forEach(alive.values(), ({ worker }) => say(worker, "stop"), { discard: true })
        })
      })
    })
  )
