import { Context, type Duration } from "effect"

/** A look of an owner may take longer than a caller waits. Longer still where virtual time passes by the hour while a real database answers. */
export const Looks = Context.Reference<Duration.Input>("tidings/postgres/Looks", { defaultValue: () => "20 seconds" })
