/**
 * The lowest and the highest of some ids, of which there is one at least. By them the planner skips the partitions of
 * other days (design.md §3).
 */
export const of = (ids: ReadonlyArray<string>): readonly [lowest: string, highest: string] => [
  ids.reduce((a, b) => (a < b ? a : b)),
  ids.reduce((a, b) => (a > b ? a : b))
]
