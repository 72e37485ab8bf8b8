/** Rows of one look that may be asked about at most, whether they pass an older one of their recipient. */
const mostDoubtful = 100

/** Rows that each turn gets of a look's limit. */
export const share = (limit: number, turns: ReadonlyArray<string>): number =>
  Math.max(1, Math.ceil(limit / Math.max(1, turns.length)))

interface Ready {
  readonly seq: number
  readonly turn: string
}

/**
 * Ready rows as they were read by turns, in the order of acceptance: which of them may pass an older row of the same recipient that was not
 * read, since it is another turn's (P3). Those behind the last row of a turn that was cut short are in doubt, all of them if a turn was not
 * read at all; more than can be asked about are left for another look. `complete`: no turn that was read has more.
 */
export const cut = <A extends Ready>({ allSeen, rows, short }: {
  readonly rows: ReadonlyArray<A>
  /** Turns that may have more. */
  readonly short: ReadonlyArray<string>
  /** Whether every turn was read. */
  readonly allSeen: boolean
}): { readonly doubtful: ReadonlyArray<A>; readonly dropped: ReadonlyArray<A>; readonly complete: boolean } => {
  const last = new Map(rows.map(({ seq, turn }) => [turn, seq]))
  const ends = short.map((turn) => ({ turn, last: last.get(turn) ?? 0 }))
  const inDoubt = rows.filter(({ seq, turn }) => !allSeen || ends.some((end) => end.turn !== turn && end.last < seq))
  const dropped = inDoubt.slice(mostDoubtful)
  return { doubtful: inDoubt.slice(0, mostDoubtful), dropped, complete: ends.length === 0 && dropped.length === 0 }
}

/** Turns that got all of their share: they may have more. */
export const atShare = (rows: ReadonlyArray<Pick<Ready, "turn">>, share: number): ReadonlyArray<string> =>
  [...Map.groupBy(rows, ({ turn }) => turn)].flatMap(([turn, mine]) => mine.length >= share ? [turn] : [])

/** The rows but those left out. */
export const without = <A>(rows: ReadonlyArray<A>, out: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (out.length === 0) return rows
  const left = new Set(out)
  return rows.filter((row) => !left.has(row))
}
