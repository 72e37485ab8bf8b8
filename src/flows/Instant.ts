import { isDay } from "#schemas/WrittenTime.ts"
import { DateTime, Option } from "effect"

export const utc = DateTime.zoneMakeOffset(0)

export const hasOffset = (text: string): boolean => /(?:Z|[+-](?:\d\d:?\d\d|\d:\d\d))$/i.test(text.trim())

/**
 * Stricter than `Date`, which finds a year in nearly any text with a number: `Mo-Fr 9-17` would be a day of 2001, and
 * the message due at once.
 */
const iso8601 = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** `+7:00`, which an example of the compatible service's documentation has. */
const shortOffset = /([+-])(\d:\d\d)$/

/** It may stand apart: `14:00 +01:00`. */
const beforeOffset = / (?=(?:Z|[+-][\d:]+)$)/i

/**
 * The instant of an ISO 8601 date, in epoch ms. A date without an offset is in `zone`. `undefined`: it is not a date.
 */
export const parse = (given: string, zone: DateTime.TimeZone): number | undefined => {
  const text = given.trim().replace(shortOffset, "$10$2").replace(beforeOffset, "")
  if (!iso8601.test(text) || !isDay(text)) return undefined
  const parsed = hasOffset(text)
    ? DateTime.make(text)
    : DateTime.makeZoned(text, { timeZone: zone, adjustForTimeZone: true })
  return Option.getOrUndefined(Option.map(parsed, DateTime.toEpochMillis))
}
