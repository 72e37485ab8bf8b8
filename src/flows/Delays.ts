import type { Instructions } from "#schemas/SendMessage.ts"
import { DateTime, Option } from "effect"

type Delay = Instructions["delay"]

const minute = 60_000

const hasOffset = (text: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.trim())

/** The instant that `until` names; without an offset of its own it is in `timezone`, else UTC (api.md 26.6). */
const instant = (until: string, timezone: string | null | undefined): number | undefined => {
  const parsed = hasOffset(until) || timezone === undefined || timezone === null
    ? DateTime.make(hasOffset(until) ? until : `${until.trim()}Z`)
    : DateTime.makeZoned(until, { timeZone: timezone, adjustForTimeZone: true })
  return Option.getOrUndefined(Option.map(parsed, DateTime.toEpochMillis))
}

/**
 * When a message may start, in epoch ms: its acceptance, or that plus its delay. A duration is rounded up to whole minutes (api.md 26.6).
 * `undefined`: at once.
 */
export const startOf = (delay: Delay, enqueuedAt: number): number | undefined => {
  if (delay === undefined || delay === null) return undefined
  const { duration, timezone, until } = delay
  const waits = typeof duration === "number" && duration > 0
    ? enqueuedAt + Math.ceil(duration / minute) * minute
    : undefined
  const named = typeof until === "string" ? instant(until, timezone) : undefined
  const start = waits === undefined || named === undefined ? waits ?? named : Math.max(waits, named)
  return start === undefined || start <= enqueuedAt ? undefined : start
}

/** Whether `until` is a date we understand; the send is accepted all the same, and its message ends with an error (api.md 26.6). */
export const isUnderstood = (delay: Delay): boolean =>
  typeof delay?.until !== "string" || instant(delay.until, delay.timezone) !== undefined
