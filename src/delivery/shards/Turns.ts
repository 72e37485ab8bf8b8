/** Rows of one look that may be `doubtful` at most. */
const mostDoubtful = 100

/** Rows that each turn gets of a look's limit. */
export const share = (limit: number, turns: ReadonlyArray<string>): number =>
  Math.max(1, Math.ceil(limit / Math.max(1, turns.length)))

/** A ready row, by its turn and its place in the order of acceptance. */
export interface Ready {
  readonly seq: number
  readonly turn: string
}

/** As many of these rows as may be asked about: of each turn the oldest, one after the other, since a backlog of one would leave out all others. */
const asked = <A extends Ready>(inDoubt: ReadonlyArray<A>, most: number): ReadonlySet<A> => {
  if (inDoubt.length <= most) return new Set(inDoubt)
  const ofTurn = new Map<string, number>()
  const placed = inDoubt.map((row) => {
    const place = ofTurn.get(row.turn) ?? 0
    ofTurn.set(row.turn, place + 1)
    return { row, place }
  })
  return new Set(placed.toSorted((a, b) => a.place - b.place).slice(0, most).map(({ row }) => row))
}

/**
 * Finds the ready rows that may pass an older unread row of the same recipient in another turn (P3); `rows` were read
 * by turns and are in the order of acceptance. In doubt are those behind the last row of another turn that was cut
 * short, or all, if some turn was not read at all. `doubtful` are to be asked about in the store; `dropped`, more than
 * can be asked about, are left for another look, and are unread to those that are asked about. `complete`: no turn that
 * was read has more.
 */
export const cut = <A extends Ready>({ allSeen, most = mostDoubtful, rows, short }: {
  readonly rows: ReadonlyArray<A>
  /** Turns that may have more. */
  readonly short: ReadonlyArray<string>
  /** Whether every turn was read. */
  readonly allSeen: boolean
  /** Rows that can be asked about. */
  readonly most?: number
}): { readonly doubtful: ReadonlyArray<A>; readonly dropped: ReadonlyArray<A>; readonly complete: boolean } => {
  const last = new Map(rows.map(({ seq, turn }) => [turn, seq]))
  const ends = short.map((turn) => ({ turn, last: last.get(turn) ?? 0 }))
  const inDoubt = rows.filter(({ seq, turn }) => !allSeen || ends.some((end) => end.turn !== turn && end.last < seq))
  const wanted = asked(inDoubt, most)
  const dropped = inDoubt.filter((row) => !wanted.has(row))
  return {
    doubtful: inDoubt.filter((row) => wanted.has(row)),
    dropped,
    complete: ends.length === 0 && dropped.length === 0
  }
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
