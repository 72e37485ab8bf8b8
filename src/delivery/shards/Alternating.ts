import type { DueRow } from "#src/delivery/journal/OpenMessage.ts"

/**
 * Puts the rows of a look into the order in which they are given what room there is: one that is ready and one whose time
 * has come by turns, each of them in their own order (P3). The mailbox of a recipient of whom more comes than goes would
 * else be filled with new messages each time that it has room, and those that are to be tried again would wait for as
 * long as that lasts.
 */
export const alternating = (rows: ReadonlyArray<DueRow>): ReadonlyArray<DueRow> => {
  const [ready, timed] = [rows.filter(({ dueAt }) => dueAt === 0), rows.filter(({ dueAt }) => dueAt > 0)]
  const most = Math.max(ready.length, timed.length)
  return ready.length === 0 || timed.length === 0
    ? rows
    : Array.from({ length: most }, (_, n) => [...ready.slice(n, n + 1), ...timed.slice(n, n + 1)]).flat()
}
