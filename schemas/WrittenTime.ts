import { DateTime, Option } from "effect"

const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** Whether the day at the start of a date-time exists: JavaScript reads the 30th of February as the 2nd of March. */
export const isDay = (text: string): boolean => {
  const day = text.slice(0, "yyyy-mm-dd".length)
  return Option.exists(DateTime.make(day), (date) => DateTime.formatIsoDateUtc(date) === day)
}

/** Epoch ms of an ISO 8601 date or date-time; without an offset it is UTC. */
export const fromIso = (text: string): number | undefined => {
  if (!iso.test(text) || !isDay(text)) return undefined
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || text.length === 10 ? text : `${text}Z`
  return Option.getOrUndefined(Option.map(DateTime.make(zoned.replace(" ", "T")), DateTime.toEpochMillis))
}

/**
 * Tells epoch seconds from epoch ms: seconds stay below this until the year 5138, milliseconds are above it since March
 * 1973.
 */
const firstMillisecond = 1e11

/** Epoch ms of a time in seconds or milliseconds, whichever its size suggests. */
export const fromEpoch = (time: number): number => Math.abs(time) < firstMillisecond ? time * 1_000 : time
