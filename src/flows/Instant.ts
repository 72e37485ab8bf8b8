import { isDay } from "#schemas/api/Instant.ts"
import { DateTime, Option } from "effect"

export const utc = DateTime.zoneMakeOffset(0)

export const hasOffset = (text: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.trim())

/** JavaScript reads a year into nearly any text with a number: `Mo-Fr 9-17` would be a day of 2001, long past, and the message due at once. */
const iso8601 = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?$/i

/** The instant that an ISO 8601 date names, in epoch ms; without an offset of its own it is in the zone. `undefined`: it is no date. */
export const parse = (text: string, zone: DateTime.TimeZone): number | undefined => {
  if (!iso8601.test(text.trim()) || !isDay(text.trim())) return undefined
  const parsed = hasOffset(text)
    ? DateTime.make(text.trim())
    : DateTime.makeZoned(text.trim(), { timeZone: zone, adjustForTimeZone: true })
  return Option.getOrUndefined(Option.map(parsed, DateTime.toEpochMillis))
}
