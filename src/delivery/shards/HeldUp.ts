import type { Ready } from "#src/delivery/shards/Turns.ts"

/** Rows of turns that are held up by which one look goes on, at most. */
export const mostPassed = 100

/**
 * Turns of which most rows that a look asked about wait for an older one of their recipient in another turn, though
 * they have `more`: up to which `seq` it asked. What waits would keep all behind it unread until the other's backlog is
 * over.
 */
export const found = <A extends Ready>(
  asked: ReadonlyArray<A>,
  waits: (row: A) => boolean,
  more: ReadonlySet<string>
): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(asked, ({ turn }) => turn)].flatMap(([turn, rows]) => {
    const last = rows.at(-1)
    const isHeldUp = more.has(turn) && 2 * rows.filter(waits).length > rows.length
    return isHeldUp && last !== undefined ? [[turn, last.seq]] : []
  }))

/**
 * How far looks have come in turns that are held up. Each look asks about some more of their rows, behind those that
 * the last one asked about, and begins anew where a turn has no more.
 */
export const make = (before: ReadonlyMap<string, number> = new Map()) => {
  const reached = new Map(before)
  const ended = new Set<string>()
  let goesOn = false
  return {
    /** Behind which `seq` the look goes on in a turn of which it has asked up to `asked`. */
    from: (turn: string, asked: number): number => Math.max(asked, before.get(turn) ?? 0),
    /** The turn is not held up, as far as the look has seen. */
    freed: (turn: string): void => void reached.delete(turn),
    /** It has gone on up to `seq`; whether there may be more. */
    went: (turn: string, seq: number, hasMore: boolean): void => {
      reached.set(turn, seq)
      if (hasMore) goesOn = true
      else ended.add(turn)
    },
    /** Whether a turn has rows that no look has asked about. */
    goesOn: (): boolean => goesOn,
    /**
     * Where the next look goes on. While nothing else is read (`isQuiet`), a turn begins anew only once no other goes on:
     * the looks would never end.
     */
    next: (isQuiet: boolean): ReadonlyMap<string, number> => {
      if (!isQuiet || !goesOn) { for (const turn of ended) reached.delete(turn) }
      return reached
    }
  }
}
