import { Context } from "effect"

/**
 * Annotates a POST that stores nothing and takes its time: with an idempotency key it runs outside of the transaction in which its answer is
 * kept, which would hold the database for as long.
 */
export const RunApart = Context.Reference<boolean>("tidings/api/RunApart", { defaultValue: () => false })
