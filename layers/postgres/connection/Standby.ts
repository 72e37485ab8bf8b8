import { OnlyStandby } from "#layers/CannotStart.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Refuses a database that only follows another one: the first statement that writes would say no more than that it cannot be executed. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 where pg_is_in_recovery()`
  if (found.length > 0) return yield* new OnlyStandby()
}))
