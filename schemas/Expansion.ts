import { Schema } from "effect"

/** `RUNNING`: members still become messages. `FAILED`: it was set aside; what it made until then stays. */
export const ExpansionState = Schema.Literals(["RUNNING", "COMPLETED", "FAILED"])
export type ExpansionState = typeof ExpansionState.Type
