/** The first of these timeouts that is set, in ms; they come with the most special first, and 0 is not set. */
export const given = (...timeouts: ReadonlyArray<number | null | undefined>): number | undefined =>
  timeouts.find((timeout): timeout is number => typeof timeout === "number" && timeout > 0)
