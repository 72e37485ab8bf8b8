import { Schema } from "effect"

/**
 * `RUNNING`: members are still being expanded into messages. `FAILED`: it was set aside; the messages made until then
 * stay.
 */
export const ExpansionState = Schema.Literals(["RUNNING", "COMPLETED", "FAILED"])
export type ExpansionState = typeof ExpansionState.Type
