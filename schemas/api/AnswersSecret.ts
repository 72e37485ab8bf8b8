import { Context } from "effect"

/** Annotates a POST whose answer is a credential: with an idempotency key it is kept sealed, since whoever reads the database could use it (P9). */
export const AnswersSecret = Context.Reference<boolean>("tidings/api/AnswersSecret", { defaultValue: () => false })
