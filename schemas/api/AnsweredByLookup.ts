import { Context } from "effect"

/**
 * Annotates a GET all of whose lookups are batched. They limit how long a caller waits themselves, and limiting it once
 * more would cost a fiber for each read.
 */
export const AnsweredByLookup = Context.Reference<boolean>("tidings/api/AnsweredByLookup", {
  defaultValue: () => false
})
