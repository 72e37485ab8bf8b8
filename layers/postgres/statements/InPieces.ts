import * as Patience from "#src/store/Patience.ts"
import { Array, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/**
 * Rows that one statement reads or writes at most, of as many as a request may name. The embedded database runs a
 * statement in one go while nothing else in the process runs: a thousand rows take it some 25 ms, 99,000 took 3 s.
 */
export const most = 1_000

/**
 * Runs a statement for each piece of the rows, one after the other, and once if there are none; `from` is the index of
 * the piece's first row. Who waits for the store (`Patience`) waits anew after each, so that the last of many pieces is
 * not given up for the time of those before it. Only in a transaction they are one change.
 */
export const run = <A, E, R>(
  rows: ReadonlyArray<A>,
  statement: (piece: ReadonlyArray<A>, from: number) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, E, R> =>
  Effect.forEach(
    rows.length === 0 ? [[]] : Array.chunksOf(rows, most),
    (piece, index) => Effect.andThen(statement(piece, index * most), Patience.heard),
    { discard: true }
  )

const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))

/**
 * Opens, in a transaction, what a query selects as `key`; the answer then runs a statement for each piece of these keys,
 * in their order. All pieces are of what there was when it was opened: with each as it is by then, of several rows that
 * another call writes meanwhile, some would be met and some not.
 */
export const opened = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, query: Statement.Fragment) {
  yield* sql`declare opened no scroll cursor for ${query}`
  const next = sql`fetch ${sql.literal(String(most))} from opened`.pipe(
    Effect.flatMap(decodeKeys),
    Effect.map((rows) => rows.map(({ key }) => key))
  )
  return Effect.fnUntraced(
    function*<E, R>(statement: (keys: ReadonlyArray<string>) => Effect.Effect<unknown, E, R>) {
      let keys = yield* next
      while (keys.length > 0) {
        yield* statement(keys)
        yield* Patience.heard
        keys = keys.length < most ? [] : yield* next
      }
      yield* sql`close opened`
    }
  )
})
