import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Rows of one statement: nobody waits long for what it holds. */
export const batch = 5_000

/** Until a statement finds fewer rows than it looks for. Answers how many it found in all. */
export const untilNone = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  Effect.gen(function*() {
    let gone = 0
    while (true) {
      const { length } = yield* statement
      gone += length
      if (length < batch) return gone
    }
  })
