/** A longer timeout than this, ten years in ms, could be no due time, and no message waits for it. */
const longest = 10 * 366 * 86_400_000

/**
 * The first of these timeouts that is set, in whole ms, which is what a due time can be; they come with the most special
 * first, and 0 is not set.
 */
export const given = (...timeouts: ReadonlyArray<number | null | undefined>): number | undefined => {
  const first = timeouts.find((timeout): timeout is number => typeof timeout === "number" && timeout > 0)
  return first === undefined ? undefined : Math.min(longest, Math.ceil(first))
}
