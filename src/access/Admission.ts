import * as AdmissionQueue from "#src/access/AdmissionQueue.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Clock, Context, Effect, Latch, Layer, Metric, Schema } from "effect"

/** The call would wait too long for its turn; nothing of it ran. The edge answers 503 with `Retry-After`. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {}) {}

/**
 * With the journal's patience of 1.5 s, `interval` keeps every answer within 2.5 s (reliability.md 2.6). 1,024 calls at once fill both of the
 * journal's writers; 64 MB are 10 of the longest bodies.
 */
const bounds: AdmissionQueue.Bounds = {
  latency: 1_000,
  interval: 750,
  delay: 50,
  limit: { first: 32, least: 4, most: 1_024 },
  bytes: 64 * 1024 * 1024
}

/** What a call that waits costs beside its body, in bytes, about. */
const overhead = 8 * 1024

/**
 * Runs calls as many at a time as are answered within a second, lets others wait, and refuses who would wait too long: offered more than it
 * can do, the node goes on doing what it can (reliability.md 2.6).
 */
export class Admission extends Context.Service<Admission, {
  /** `bytes`: the length of the body that a call brings. */
  readonly admit: <A, E, R>(bytes: number, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
  /** Whether who comes now would wait in vain: to be asked before anything is read of a call. */
  readonly isFull: () => boolean
}>()("tidings/access/Admission") {}

export const layer = Layer.effect(
  Admission,
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
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

    /** Waits to be let in; answers when that was. */
    const enter = (bytes: number) =>
      Effect.callback<number, Overloaded>((resume) => {
        queue.arrive(now(), {
          bytes: bytes + overhead,
          enter: () => resume(Effect.sync(now)),
          refuse: () => resume(Effect.andThen(Metric.update(Metrics.overloaded, 1), new Overloaded()))
        })
        if (queue.waiting() > 0) Latch.openUnsafe(someone)
      })

    const leave = (since: number) =>
      Effect.suspend(() => {
        queue.leave(now(), since)
        return Metric.update(Metrics.admissionLimit, queue.limit())
      })

    return Admission.of({
      admit: (bytes, call) => Effect.acquireUseRelease(enter(bytes), () => call, leave),
      isFull: () => queue.isFull(now())
    })
  })
)
