import { Context } from "effect"

/**
 * Annotates a POST whose operation commits the idempotency key itself, together with its own rows (`Intake`). Every
 * other POST runs inside `Idempotency.once`.
 */
export const CommittedByJournal = Context.Reference<boolean>("tidings/api/CommittedByJournal", {
  defaultValue: () => false
})
