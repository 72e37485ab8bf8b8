import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import * as Outage from "#src/store/Outage.ts"
import { Context, Effect, Layer, Queue, Schedule } from "effect"

/** Runs `AudienceSteps` whenever it is woken, and also by itself, for work that a crash left. */
export class AudienceUpkeep extends Context.Service<AudienceUpkeep, {
  readonly wake: Effect.Effect<void>
}>()("tidings/AudienceUpkeep") {}

/** How long work waits at most that no wake-up announced. */
const sweep = "5 seconds"

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
    const work = steps.advance.pipe(
      Effect.repeat({ while: (more) => more }),
      Effect.tapError((error) => outage.lost(error)),
      Effect.retry(backoff),
      Effect.tap(() => outage.found()),
      Effect.catchDefect((defect) => Effect.logError("audiences: a step crashed", defect))
    )
    yield* work.pipe(
      Effect.andThen(Effect.timeoutOption(Queue.take(woken), sweep)),
      Effect.forever,
      Effect.forkScoped
    )
    return AudienceUpkeep.of({ wake: Effect.asVoid(Queue.offer(woken, undefined)) })
  })
)
