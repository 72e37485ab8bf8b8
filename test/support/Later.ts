import { Effect, Schedule } from "effect"

/**
 * Makes a call again while it is answered 503, as a caller should: a server on a machine that is busy with other tests says so, since its
 * database has not answered in two seconds. A call that always meets it keeps its 503.
 */
export const untilServed = <A extends { readonly status: number }, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.repeat(call, {
    while: ({ status }) => status === 503,
    times: 10,
    schedule: Schedule.spaced("500 millis")
  })
