import { DateTime, Option } from "effect"

/** A provider may not silence us for longer, in ms (reliability.md 2.6). */
const longest = 24 * 3_600_000

/** As dates are written in headers; what else a lenient reader takes for one (`1.5 s`, `5, 7`) means none. */
const dated = /^(?:[A-Z][a-z]{2,8}, \d|[A-Z][a-z]{2} [A-Z][a-z]{2} |\d{4}-\d\d-\d\d)/

/**
 * The header's wait in ms from `now` (epoch ms): seconds, which some vendors give with a fraction, or an HTTP date (RFC
 * 9110 §10.2.3), at most a day; else `undefined`.
 */
export const parse = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  const wait = /^\d+(?:\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : dated.test(text)
    ? Option.getOrUndefined(Option.map(DateTime.make(text), (date) => DateTime.toEpochMillis(date) - now))
    : undefined
  return wait === undefined ? undefined : Math.min(longest, Math.max(0, wait))
}
