import * as Outage from "#src/store/Outage.ts"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Queue, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/**
 * Listens to a channel for as long as the scope is open, after every outage again. `began` runs each time: nothing was
 * heard of what was told before. `ended` runs once it no longer listens. `of` says in the log what is told.
 */
export const make = Effect.fnUntraced(function*(channel: string, of: string, options: {
  readonly began: Effect.Effect<void, SqlError.SqlError>
  readonly heard: (payload: string) => Effect.Effect<void, SqlError.SqlError>
  readonly ended?: Effect.Effect<void>
}): Effect.fn.Return<void, never, PgClient.PgClient | Scope.Scope> {
  const sql = yield* PgClient.PgClient
  const outage = Outage.make({
    lost: (error) => Effect.logWarning(`no longer told of ${of}`, error),
    found: Effect.logInfo(`told of ${of} again`)
  })

  const listen = Effect.gen(function*() {
    const notifications = yield* sql.listen(channel)
    yield* outage.found()
    yield* options.began
    while (true) {
      const { payload } = yield* Queue.take(notifications)
      yield* options.heard(payload)
    }
  }).pipe(Effect.scoped, Effect.ensuring(options.ended ?? Effect.void))

  yield* listen.pipe(
    Effect.tapError((error) => outage.lost(error)),
    Effect.retry(backoff),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(`listening for ${of} crashed`, defect), Effect.sleep("2 seconds"))
    ),
    Effect.forever,
    Effect.forkScoped
  )
})
