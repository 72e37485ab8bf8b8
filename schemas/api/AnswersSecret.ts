import { Context } from "effect"

/**
 * Annotates a POST whose response is a credential. With an idempotency key the response is stored encrypted, since
 * whoever reads the database could use it (P9).
 */
export const AnswersSecret = Context.Reference<boolean>("tidings/api/AnswersSecret", { defaultValue: () => false })
