import { Context, Effect } from "effect"

/**
 * A store runs this before work that takes the longer the more is stored, after the database has answered it. Who waits
 * for the store may then wait longer than for a database that is silent.
 */
export const LongWork = Context.Reference<Effect.Effect<void>>("tidings/store/LongWork", {
  defaultValue: () => Effect.void
})
