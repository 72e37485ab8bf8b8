import { Shards } from "#src/delivery/Shards.ts"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Queue, Schedule } from "effect"

const backoff = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(Duration.seconds(2))])

/**
 * Wakes this node when another one accepts for its shards. What was told while nobody listened is in the rows: after each (re)listen
 * everything due is read.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const shards = yield* Shards

  const listen = Effect.gen(function*() {
    const notifications = yield* sql.listen("tidings_due")
    yield* shards.wake
    while (true) {
      const { payload } = yield* Queue.take(notifications)
      const owned = yield* shards.owned
      if (payload.split(",").some((shard) => owned.includes(Number(shard)))) yield* shards.wake
    }
  }).pipe(Effect.scoped)

  yield* listen.pipe(
    Effect.tapError((error) => Effect.logWarning("no longer told of new messages", error)),
    Effect.retry(backoff),
    Effect.forkScoped
  )
}))
