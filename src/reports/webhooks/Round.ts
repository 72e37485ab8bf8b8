import { longWaits } from "#src/delivery/RetryPolicy.ts"
import { type Claimed, probing, type Settlement } from "#src/reports/webhooks/Outbox.ts"
import { Duration } from "effect"

/** What came of one event: `Told`, or why not. A webhook that is `isGone` says that it wants nothing more. */
export type Outcome =
  | { readonly _tag: "Told" }
  | {
    readonly _tag: "Failed"
    readonly error: string
    /** Ms, as it asks for. */
    readonly retryAfter: number | undefined
    readonly isGone: boolean
  }
  /** There is nothing left to tell: its message is gone. */
  | { readonly _tag: "Void" }

/** For how long an event is tried, in ms, and how much longer a webhook may fail until it is given up. */
const tried = Duration.toMillis("24 hours")
const longestFailing = Duration.toMillis("5 days")

/** After a round that failed as the `failures`-th in a row. One that fails again and again is left alone for as long as an event is. */
const pauseAfter = (failures: number): number => longWaits[failures - 1] ?? longWaits.at(-1) ?? 0

/**
 * How a round ends, given what came of each event by its id (those that were not tried are absent), at `now` (epoch ms).
 * A failed event has its next try by the long schedule (api.md 25.1), and is given up after the last one. A webhook that
 * was not reached in some rounds in a row pauses, and with each further one for longer.
 */
export const settle = (claimed: Claimed, outcomes: ReadonlyMap<string, Outcome>, now: number): Settlement => {
  const events = claimed.events.flatMap((event) => {
    const outcome = outcomes.get(event.id)
    return outcome === undefined ? [] : [{ event, outcome }]
  })
  const failed = events.flatMap(({ event, outcome }) =>
    outcome._tag === "Failed" ? [{ ...outcome, event, wait: longWaits[event.tries] }] : []
  )
  const reached = events.some(({ outcome }) => outcome._tag === "Told")
  const last = failed.at(-1)
  const failures = reached ? 0 : last === undefined ? claimed.failures : claimed.failures + 1
  const failing = reached ? undefined : last === undefined
    ? claimed.failing
    : { since: claimed.failing?.since ?? now, error: last.error }
  const asked = Math.max(0, ...failed.map(({ retryAfter = 0 }) => retryAfter))
  const pause = reached || failures < probing || last === undefined ? asked : Math.max(asked, pauseAfter(failures))
  const age = failing === undefined ? 0 : now - failing.since
  return {
    done: [
      ...events.flatMap(({ event, outcome }) => outcome._tag === "Failed" ? [] : [event.id]),
      ...failed.flatMap(({ event, wait }) => wait === undefined ? [event.id] : [])
    ],
    lost: failed.filter(({ wait }) => wait === undefined).length,
    again: failed.flatMap(({ event, retryAfter = 0, wait }) =>
      wait === undefined ? [] : [{ id: event.id, dueAt: now + Math.max(wait, retryAfter) }]
    ),
    reached,
    failures,
    failing,
    pausedUntil: now + pause,
    givesUp: failed.some(({ isGone }) => isGone) || age >= longestFailing,
    dropBefore: age >= tried ? now - tried : undefined
  }
}
