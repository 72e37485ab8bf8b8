import { Context, type Duration } from "effect"

/**
 * How long an owner's look may take for what is due, or for who is in a group: longer than a caller waits. A test in
 * virtual time, which passes by the hour while a real database answers, sets it higher.
 */
export const Looks = Context.Reference<Duration.Input>("tidings/postgres/Looks", { defaultValue: () => "20 seconds" })
