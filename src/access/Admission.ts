import * as AdmissionQueue from "#src/access/AdmissionQueue.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Context, Effect, Latch, Layer, Metric, Schema } from "effect"

/** The call would wait too long for its turn; nothing of it ran. The edge answers 503 with `Retry-After`. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {}) {}

/**
 * Together with the journal's patience of 1.5 s, `interval` answers every call within 2.5 s (reliability.md 2.6), a send
 * that is not plain excepted, which may wait for its turn twice.
 * `most`: 1,024 calls at once fill both of the journal's writers. `bytes`: 64 MB are ten of the longest bodies.
 */
const bounds: AdmissionQueue.Bounds = {
  latency: 1_000,
  interval: 750,
  delay: 50,
  limit: { first: 32, least: 4, most: 1_024 },
  bytes: 64 * 1024 * 1024
}

/** Roughly what a waiting call holds in memory besides its body, in bytes. */
const overhead = 8 * 1024

/** Who asks to be let in. */
export interface Asking {
  /** `unused`: the call did not run. */
  readonly enter: (leave: (how?: "unused") => void) => void
  readonly refuse: () => void
}

/**
 * Load shedding: runs as many calls at once as can each be answered within a second, queues the others, and refuses
 * those that would wait too long. Offered more than it can do, the node goes on doing what it can (reliability.md 2.6).
 */
export class Admission extends Context.Service<Admission, {
  /**
   * Asks to be let in: exactly one of `enter` and `refuse` is called, once, now or later. Whoever was let in calls
   * `leave`, once, when the call has ended. `bytes`: the length of the body that a call brings. A call that waits is
   * nothing but this, for there may be many, most of them in vain.
   */
  readonly ask: (bytes: number, call: Asking) => void
  /** Whether a call that arrives now would wait in vain. To be asked before anything of the call is read. */
  readonly isFull: () => boolean
}>()("tidings/access/Admission") {}

export const layer = Layer.effect(
  Admission,
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const context = yield* Effect.context()
    const queue = AdmissionQueue.make(bounds)
    const someone = Latch.makeUnsafe()
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000

    yield* Effect.gen(function*() {
      yield* someone.await
      const at = queue.refusesAt()
      if (at === undefined) return Latch.closeUnsafe(someone)
      yield* Effect.sleep(Math.max(1, at - now()))
      queue.expire(now())
    }).pipe(Effect.forever, Effect.forkScoped)

    yield* Effect.addFinalizer(() => Effect.sync(() => queue.expire(Infinity)))

    const leave = (since: number) => (how?: "unused") => {
      queue.leave(now(), how === "unused" ? undefined : since)
      Metrics.admissionLimit.updateUnsafe(queue.limit(), context)
    }

    const ask = (bytes: number, { enter, refuse }: Asking): void => {
      queue.arrive(now(), { bytes: bytes + overhead, enter: () => enter(leave(now())), refuse })
      if (queue.waiting() > 0) Latch.openUnsafe(someone)
    }

    return Admission.of({ ask, isFull: () => queue.isFull(now()) })
  })
)

/** Runs effects as calls of an `Admission`. `bytes`: as of `ask`. */
export const admitting = ({ ask }: Pick<Admission["Service"], "ask">) => {
  const entered = (bytes: number) =>
    Effect.callback<(how?: "unused") => void, Overloaded>((resume) =>
      ask(bytes, {
        enter: (leave) => resume(Effect.succeed(leave)),
        refuse: () => resume(Effect.andThen(Metric.update(Metrics.overloaded, 1), new Overloaded()))
      })
    )
  return <A, E, R>(bytes: number, call: Effect.Effect<A, E, R>): Effect.Effect<A, E | Overloaded, R> =>
    Effect.acquireUseRelease(entered(bytes), () => call, (leave) => Effect.sync(() => leave()))
}
