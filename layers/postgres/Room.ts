import { isDiskFull } from "#layers/postgres/statements/StoreErrors.ts"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * After this the node counts as ready again: an unready node gets no sends, so it cannot learn that there is room. With
 * as long again for a balancer to ask, it serves within 10 s of there being room (reliability.md C5).
 */
const remembered = Duration.toNanosUnsafe("5 seconds")

/** Whether the database's disk has room, as the last writes found it: without room it still answers every read. */
export class Room extends Context.Service<Room, {
  /** To be told of every write that failed. */
  readonly failed: (error: SqlError) => Effect.Effect<void>
  /** False for 5 s after a write that failed for want of room. */
  readonly isLeft: Effect.Effect<boolean>
}>()("tidings/postgres/Room") {}

export const layer = Layer.sync(Room, () => {
  let ranOutAt: bigint | undefined
  return Room.of({
    failed: (error) =>
      isDiskFull(error)
        ? Effect.map(Clock.monotonicTimeNanos, (now) => {
          ranOutAt = now
        })
        : Effect.void,
    isLeft: Effect.map(Clock.monotonicTimeNanos, (now) => ranOutAt === undefined || now - ranOutAt > remembered)
  })
})
