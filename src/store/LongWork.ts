import { Context, Effect } from "effect"

/**
 * A store runs this once the database has answered, before work that takes longer the more is stored. Whoever waits for
 * the store may then wait longer than for a silent database.
 */
export const LongWork = Context.Reference<Effect.Effect<void>>("tidings/store/LongWork", {
  defaultValue: () => Effect.void
})
