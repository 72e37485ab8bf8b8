import type { DueRow } from "#src/delivery/journal/OpenMessage.ts"

/** Each of `first` and then one of `second`, until there are no more of either. */
const alternating = <A>(first: ReadonlyArray<A>, second: ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.from(
    { length: Math.max(first.length, second.length) },
    (_, n) => [...first.slice(n, n + 1), ...second.slice(n, n + 1)]
  )
    .flat()

/**
 * Puts the rows of a look into the order in which they are given what room there is: ready rows, and those whose time
 * has come, one after the other, each of them in its own order (P3). Which comes first alternates from look to look,
 * since the mailbox of a recipient of whom more comes than goes has room for one in each: a message of its that is to be
 * tried again would never find any.
 */
export const make = () => {
  let timedFirst = false
  return (rows: ReadonlyArray<DueRow>): ReadonlyArray<DueRow> => {
    timedFirst = !timedFirst
    const [timed, ready] = [rows.filter(({ dueAt }) => dueAt > 0), rows.filter(({ dueAt }) => dueAt === 0)]
    if (timed.length === 0 || ready.length === 0) return rows
    return timedFirst ? alternating(timed, ready) : alternating(ready, timed)
  }
}
