import { Effect } from "effect"

/**
 * Logs a loss once and its end once: what is retried all the time would otherwise fill the log. If several retry over
 * the same loss, `key` tells them apart: the loss is logged when the first of them reports it, the end when the last
 * one does.
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
    /** Forgets one that retries no more: it reports neither loss nor end. */
    leave: (key = 0): Effect.Effect<void> => Effect.sync(() => void failing.delete(key))
  }
}
