import { Context } from "effect"

/**
 * Annotates a POST that stores nothing and may run long. With an idempotency key, it runs outside the transaction that
 * stores its response, which would otherwise hold a database connection for as long.
 */
export const RunApart = Context.Reference<boolean>("tidings/api/RunApart", { defaultValue: () => false })
