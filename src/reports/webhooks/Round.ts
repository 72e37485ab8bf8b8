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

/**
 * In ms: for how long an event is told, if its webhook is reached at all and if it is not, and after how long one that is
 * not reached is given up.
 */
const longestTold = Duration.toMillis("3 days")
const longestTried = Duration.toMillis("24 hours")
const longestFailing = Duration.toMillis("5 days")

/** After so many ms without a call, what failed before says nothing of a webhook any more. */
const forgotten = Duration.toMillis("1 hour")

/** Ms until the next round after one that the store has cut short. */
const cut = 5_000

/** After a round that failed as the `failures`-th in a row. One that fails again and again is left alone for as long as an event is. */
const pauseAfter = (failures: number): number => longWaits[failures - 1] ?? longWaits.at(-1) ?? 0

/** How a webhook fares before a round. */
const fares = ({ failing, failures, pausedUntil }: Claimed, now: number): Pick<Claimed, "failing" | "failures"> =>
  now - pausedUntil > forgotten ? { failing: undefined, failures: 0 } : { failing, failures }

/**
 * How a round ends, given what came of each event by its id (those that were not tried are absent), at `now` (epoch ms).
 * `isCut`: the store was away in the middle of it. A failed event has its next try by the long schedule (api.md 25.1), and
 * is given up after the last one. A webhook that was not reached in some rounds in a row pauses, and with each further one
 * for longer.
 */
export const settle = (
  claimed: Claimed,
  outcomes: ReadonlyMap<string, Outcome>,
  now: number,
  isCut: boolean
): Settlement => {
  const events = claimed.events.flatMap((event) => {
    const outcome = outcomes.get(event.id)
    return outcome === undefined ? [] : [{ event, outcome }]
  })
  const failed = events.flatMap(({ event, outcome }) =>
    outcome._tag === "Failed" ? [{ ...outcome, event, wait: longWaits[event.tries] }] : []
  )
  const before = fares(claimed, now)
  const reached = events.some(({ outcome }) => outcome._tag === "Told")
  const last = failed.at(-1)
  const failures = reached ? 0 : last === undefined ? before.failures : before.failures + 1
  const failing = reached ? undefined : last === undefined
    ? before.failing
    : { since: before.failing?.since ?? now, error: last.error }
  const asked = Math.max(isCut ? cut : 0, ...failed.map(({ retryAfter = 0 }) => retryAfter))
  const pause = reached || failures < probing || last === undefined ? asked : Math.max(asked, pauseAfter(failures))
  const age = failing === undefined ? 0 : now - failing.since
  return {
    told: events.flatMap(({ event, outcome }) => outcome._tag === "Failed" ? [] : [event.id]),
    lost: failed.flatMap(({ event, wait }) => wait === undefined ? [event.id] : []),
    again: failed.flatMap(({ event, retryAfter = 0, wait }) =>
      wait === undefined ? [] : [{ id: event.id, dueAt: now + Math.max(wait, retryAfter) }]
    ),
    reached,
    failures,
    failing,
    pausedUntil: now + pause,
    givesUp: failed.some(({ isGone }) => isGone) || age >= longestFailing,
    since: now - (age >= longestTried ? longestTried : longestTold)
  }
}
