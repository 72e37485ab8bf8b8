import { said, WorkerFailed } from "#layers/CannotStart.ts"
import { NodeId } from "#layers/cluster/NodeId.ts"
import type { Report } from "#layers/cluster/Protocol.ts"
import * as Thread from "#layers/cluster/Thread.ts"
import type { Given } from "#layers/cluster/Worker.ts"
import { Invalidations } from "#layers/postgres/notices/Invalidations.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Context, Deferred, Effect, Exit, Layer, Schedule, type Scope } from "effect"
import process from "node:process"

/** After this, a worker that died is started again. If there are others, its shards are theirs by then. */
const restartAfter = "1 second"

/** The pauses after starts that fail. */
const backoff = Schedule.min([Schedule.exponential(restartAfter), Schedule.spaced("15 seconds")])

/** The engine workers of this server. */
export class Workers extends Context.Service<Workers, {
  /** The report of each worker; one that does not answer is reported as not ready. */
  readonly reports: Effect.Effect<ReadonlyArray<Report>>
  /** How many shards they own. */
  readonly owned: Effect.Effect<number>
  /** Tells them to drain, for good; the end of the scope waits for it. */
  readonly stop: Effect.Effect<void>
}>()("tidings/cluster/Workers") {}

/**
 * Runs the program of this process `count` times more, each in a thread of its own, as nodes of the cluster that serve
 * no HTTP (`Worker.given` tells them apart), hands them what this process accepts, and tells them what it changes. All
 * have started when this layer is built: what keeps one from it fails the start. One that ends later, or answers no
 * more, is started again; all are drained at once when the scope closes.
 */
export const layer = (count: number, program: string | URL = process.argv[1] ?? "") =>
  Layer.effect(
    Workers,
    Effect.gen(function*() {
      const handover = yield* Handover
      const node = yield* NodeId
      const alive = new Map<number, Thread.Thread>()
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      const starts = new Map(numbers.map((number) => [number, Deferred.makeUnsafe<void, WorkerFailed>()] as const))
      let isStopping = false
      const tell: (said: Parameters<Thread.Thread["say"]>[0]) => void = (said) => {
        for (const { say } of alive.values()) say(said)
      }
      yield* (yield* Invalidations).hear((invalidation) => Effect.sync(() => tell(invalidation)))

      /** A worker has ended for this reason: the start fails, if this was one; else it is logged. */
      const ended = Effect.fnUntraced(function*(number: number, failed: WorkerFailed, more: object, cause: unknown) {
        const start = starts.get(number)
        const isStart = start !== undefined && (yield* Deferred.fail(start, failed))
        if (!isStart && !isStopping) yield* Effect.logError("a worker ended", { worker: number, ...more }, cause)
      })

      /** A worker's life, until it ends; answers whether it had started. */
      const life = Effect.fnUntraced(function*(number: number): Effect.fn.Return<boolean, never, Scope.Scope> {
        const given: typeof Given.Type = { tidingsWorker: number, tidingsNode: node }
        const thread = Thread.start(program, given, {
          started: () => {
            const start = starts.get(number)
            if (start !== undefined) Deferred.doneUnsafe(start, Exit.void)
          },
          ended: () => alive.delete(number)
        })
        alive.set(number, thread)
        yield* handover.connect(thread.link.receiver)
        const watch = thread.stuck.pipe(
          Effect.andThen(Effect.logError("a worker stands still, and is ended", { worker: number })),
          Effect.andThen(thread.kill),
          Effect.andThen(Effect.never)
        )
        const { code, error, hasStarted, reason } = yield* Effect.raceFirst(thread.ended, watch).pipe(
          Effect.onInterrupt(() => thread.stop)
        )
        const message = reason ?? `an engine worker ended with ${code}`
        yield* ended(number, new WorkerFailed({ message, code }), { code, reason }, error)
        return hasStarted
      })

      /** Keeps a worker running. If it cannot even be started, such as for want of memory, the others go on. */
      const lives = (number: number) =>
        Effect.scoped(life(number)).pipe(
          Effect.catchDefect((defect) =>
            Effect.as(
              ended(
                number,
                new WorkerFailed({ message: `no engine worker can be started: ${said(defect)}`, code: 1 }),
                {},
                defect
              ),
              false
            )
          ),
          Effect.repeat({ schedule: backoff, until: (hasStarted) => hasStarted || isStopping }),
          Effect.andThen(Effect.sleep(restartAfter)),
          Effect.repeat({ until: () => isStopping })
        )
      yield* Effect.forEach(numbers, lives, { concurrency: "unbounded", discard: true }).pipe(Effect.forkScoped)
      yield* Effect.forEach(starts.values(), Deferred.await, { concurrency: "unbounded", discard: true })
      return Workers.of({
        reports: Effect.forEach(
          numbers,
          (number) => alive.get(number)?.report ?? Effect.succeed(Thread.absent("a worker is starting")),
          { concurrency: "unbounded" }
        ),
        owned: Effect.sync(() => alive.values().reduce((sum, { link }) => sum + link.taking().shards.length, 0)),
        stop: Effect.sync(() => {
          isStopping = true
          tell("stop")
        })
      })
    })
  )
