import { AudienceUpkeep } from "#src/people/AudienceUpkeep.ts"
import * as Outage from "#src/store/Outage.ts"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Queue, Schedule } from "effect"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/** Wakes the upkeep of audiences when any node has committed work for it, and after each (re)listen. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const upkeep = yield* AudienceUpkeep

  const outage = Outage.make({
    lost: (error) => Effect.logWarning("no longer told of changed audiences", error),
    found: Effect.logInfo("told of changed audiences again")
  })

  const listen = Effect.gen(function*() {
    const notifications = yield* sql.listen("tidings_audiences")
    yield* outage.found()
    yield* upkeep.wake
    while (true) {
      yield* Queue.take(notifications)
      yield* upkeep.wake
    }
  }).pipe(Effect.scoped)

  yield* listen.pipe(
    Effect.tapError((error) => outage.lost(error)),
    Effect.retry(backoff),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("listening for changed audiences crashed", defect), Effect.sleep("2 seconds"))
    ),
    Effect.forever,
    Effect.forkScoped
  )
}))
