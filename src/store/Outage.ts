import { Effect } from "effect"

/**
 * Tells the log of a loss once, and of its return once: what is tried again every moment would else fill it. `key` tells apart those who
 * share the loss, if there are several: it is told at the first of them, and its return at the last.
 */
export const make = (say: {
  readonly lost: (error: unknown) => Effect.Effect<void>
  readonly found: Effect.Effect<void>
}) => {
  const failing = new Set<number>()
  return {
    lost: (error: unknown, key = 0): Effect.Effect<void> =>
      Effect.suspend(() => {
        const isKnown = failing.size > 0
        failing.add(key)
        return isKnown ? Effect.void : say.lost(error)
      }),
    found: (key = 0): Effect.Effect<void> =>
      Effect.suspend(() => failing.delete(key) && failing.size === 0 ? say.found : Effect.void),
    /** Who tries no more has neither lost nor found anything. */
    leave: (key = 0): Effect.Effect<void> => Effect.sync(() => void failing.delete(key))
  }
}
