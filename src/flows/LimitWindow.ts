import type { LimitPeriod } from "#schemas/SendLimit.ts"
import { DateTime } from "effect"

/** A stretch of time that a limit counts in: from `from` on, and before `until`. Epoch ms. */
export interface LimitWindow {
  readonly from: number
  readonly until: number
}

const one = { hour: { hours: 1 }, day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const

/** A week begins on Sunday (api.md 26.7). */
const sunday = { weekStartsOn: 0 } as const

/** The hour, day, week or month, in UTC, that `now` is in. */
export const at = (period: LimitPeriod, now: number): LimitWindow => {
  const from = DateTime.startOf(DateTime.makeUnsafe(now), period, sunday)
  const until = DateTime.add(from, one[period])
  return { from: DateTime.toEpochMillis(from), until: DateTime.toEpochMillis(until) }
}
