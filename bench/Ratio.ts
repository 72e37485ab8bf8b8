/** The median of some measurements, and their range. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export const spread = (values: ReadonlyArray<number>): Spread => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const at = (index: number) => sorted[index] ?? Number.NaN
  return {
    median: sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2,
    min: at(0),
    max: at(sorted.length - 1)
  }
}

/**
 * Measures every contender once per round, so that a disturbance of the machine affects all alike. Each round starts
 * one contender later than the round before, so that none always runs first.
 */
export const rounds = async <Name extends string>(
  count: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>
): Promise<Record<Name, Array<number>>> => {
  const names = Object.keys(contenders) as Array<Name>
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Array<number>>
  for (let round = 0; round < count; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]
      if (name !== undefined) measured[name].push(await contenders[name]())
    }
  }
  return measured
}

/** The ratios of measurements of the same round, never of medians of different rounds. */
export const pairwise = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>): ReadonlyArray<number> =>
  ours.map((value, round) => value / (theirs[round] ?? Number.NaN))
