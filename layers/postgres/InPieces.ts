import * as Patience from "#src/store/Patience.ts"
import { Array, Effect } from "effect"

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
