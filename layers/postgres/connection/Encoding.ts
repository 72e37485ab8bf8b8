import { OtherEncoding } from "#layers/CannotStart.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The encodings that can hold every text: SQL_ASCII keeps bytes as they come. */
const good = ["UTF8", "SQL_ASCII"]

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ encoding: Schema.String, used: Schema.Boolean })])
)

/**
 * Refuses to set up a database of another encoding, such as LATIN1: some day a send with an emoji or a foreign name
 * would be answered with 400, and a list of such a name with 500, with nothing to say why. A database that was already
 * set up is served on, with a warning at each start.
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
