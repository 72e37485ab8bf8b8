/**
 * Where a page ends, however many rows it may have: in bytes of the texts that its rows hold. One row may be as large as
 * a request, so a full page of them would be too large to build in memory, or to write without stopping the node.
 */
export const most = 4_000_000

/** The first of these rows, with a row more as long as `most` is not reached: one at least. */
export const fitting = <A>(rows: ReadonlyArray<A>, bytesOf: (row: A) => number): ReadonlyArray<A> => {
  let sum = 0
  return rows.filter((row) => {
    const before = sum
    sum += bytesOf(row)
    return before < most
  })
}
