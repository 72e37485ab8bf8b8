import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import * as Outage from "#src/store/Outage.ts"
import { Context, Effect, Layer, Queue, Schedule } from "effect"

/** Runs `AudienceSteps` whenever it is woken, and also by itself, for work that a crash left. */
export class AudienceUpkeep extends Context.Service<AudienceUpkeep, {
  readonly wake: Effect.Effect<void>
}>()("tidings/AudienceUpkeep") {}

/** How long work waits at most that no wake-up announced. */
const sweep = "5 seconds"

/** How soon after some work it looks again: of several who write at once, only one announces it, perhaps not the last. */
const again = "250 millis"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

export const layer = Layer.effect(
  AudienceUpkeep,
  Effect.gen(function*() {
    const steps = yield* AudienceSteps
    const woken = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
    const outage = Outage.make({
      lost: (error) => Effect.logWarning("cannot keep audiences in step", error),
      found: Effect.logInfo("audiences are kept in step again")
    })
    /** Takes steps for as long as there is more to do. Answers whether there was something. */
    const work = Effect.gen(function*() {
      let found = false
      while (yield* steps.advance) found = true
      return found
    }).pipe(
      Effect.tapError((error) => outage.lost(error)),
      Effect.retry(backoff),
      Effect.tap(() => outage.found()),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("audiences: a step crashed", defect), false))
    )
    yield* work.pipe(
      Effect.flatMap((found) => Effect.timeoutOption(Queue.take(woken), found ? again : sweep)),
      Effect.forever,
      Effect.forkScoped
    )
    return AudienceUpkeep.of({ wake: Effect.asVoid(Queue.offer(woken, undefined)) })
  })
)
