import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Rows deleted by one statement: few enough that nobody waits long for its locks. */
export const batch = 5_000

const decodeScopes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))

/** The environments. Keys begin with one: a statement that names none reads the whole index for each batch. */
export const scopes = (sql: SqlClient.SqlClient) =>
  sql`select id from scopes order by id`.pipe(
    Effect.flatMap(decodeScopes),
    Effect.map((rows) => rows.map(({ id }) => id))
  )

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
