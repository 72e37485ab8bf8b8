import { isDiskFull } from "#layers/postgres/StoreErrors.ts"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** A node that is said to be unready gets no more sends, of which one could tell that there is room again. */
const remembered = Duration.toNanosUnsafe("10 seconds")

/** Whether the database's disk has room, as the last writes found it: a database without any still answers every question. */
export class Room extends Context.Service<Room, {
  /** Hears of a write that failed. */
  readonly failed: (error: SqlError) => Effect.Effect<void>
  /** False for 10 s after a write for which there was none. */
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
