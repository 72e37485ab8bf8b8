/** The first timeout that says something, in ms, the most special first: 0 does not. */
export const given = (...timeouts: ReadonlyArray<number | null | undefined>): number | undefined =>
  timeouts.find((timeout): timeout is number => typeof timeout === "number" && timeout > 0)
