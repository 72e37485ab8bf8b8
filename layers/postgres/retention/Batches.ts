import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Rows deleted by one statement: few enough that nobody waits long for its locks. */
export const batch = 5_000

/** Repeats a statement until it finds fewer rows than `batch`. Answers how many it found in all. */
export const untilNone = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  Effect.gen(function*() {
    let gone = 0
    while (true) {
      const { length } = yield* statement
      gone += length
      if (length < batch) return gone
    }
  })
