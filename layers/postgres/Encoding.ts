import { OtherEncoding } from "#layers/CannotStart.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** All text fits in these: the second keeps bytes as they come. */
const good = ["UTF8", "SQL_ASCII"]

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ encoding: Schema.String, used: Schema.Boolean })])
)

/**
 * Refuses to set up a database of another encoding, LATIN1 say: a send with an emoji or a name from elsewhere would be 400, and a list of that
 * name 500, some day and with nothing that says why. One that was set up as such is served on, with a warning at each start.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select current_setting('server_encoding') as encoding, to_regclass('migrations') is not null as used`
  const [{ encoding, used }] = yield* decode(rows)
  if (good.includes(encoding)) return
  const error = new OtherEncoding({ encoding })
  if (!used) return yield* error
  yield* Effect.logWarning(error.message)
}))
