import { DateTime, Option } from "effect"

/** A provider may not silence us for longer, in ms (reliability.md 2.6). */
const longest = 24 * 3_600_000

/** The header's wait in ms from `now` (epoch ms): seconds or an HTTP date (RFC 9110 §10.2.3), at most a day; else `undefined`. */
export const parse = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  const wait = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : Option.getOrUndefined(Option.map(DateTime.make(text), (date) => DateTime.toEpochMillis(date) - now))
  return wait === undefined ? undefined : Math.min(longest, Math.max(0, wait))
}
