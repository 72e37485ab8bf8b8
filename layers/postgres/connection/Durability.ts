import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/**
 * Warns of a database that reports a commit before it is on disk (P1): if the database crashes, what was answered with
 * 202 in its last moments is lost. The operator may have chosen that, or it was set for another program.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select name from pg_settings where name in ('fsync', 'synchronous_commit') and setting = 'off' order by name`
  for (const { name } of yield* decode(rows)) {
    yield* Effect.logWarning(
      `the database of DATABASE_URL has ${name} = off: what was accepted just before it crashes is lost`
    )
  }
}))
