import type { Profile } from "#schemas/Profile.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Instant from "#src/flows/Instant.ts"
import * as OpeningHours from "#src/flows/OpeningHours.ts"
import * as TimeZone from "#src/flows/TimeZone.ts"
import { type DateTime, Option, Result } from "effect"

type Delay = Instructions["delay"]

const minute = 60_000

const hoursOf = (delay: Delay) => typeof delay?.until === "string" ? OpeningHours.parse(delay.until) : undefined

/**
 * Whether the start depends on the recipient: opening hours, or a date in the recipient's own time zone (api.md 26.6).
 */
export const isOfRecipient = (delay: Delay): boolean =>
  typeof delay?.until === "string" &&
  (hoursOf(delay) !== undefined || (!Instant.hasOffset(delay.until) && typeof delay.timezone !== "string"))

const durationOf = (delay: Delay, enqueuedAt: number): number | undefined =>
  typeof delay?.duration === "number" && delay.duration > 0
    ? enqueuedAt + Math.ceil(delay.duration / minute) * minute
    : undefined

/** A date farther away than this, ten years in ms, is not meant: `9999-12-31` stands for "never" in many databases. */
const farthest = 10 * 366 * 24 * 60 * minute

/** Whether the start is so far away that the message would in all likelihood never go out. */
const isNever = (start: number | undefined, enqueuedAt: number): boolean =>
  start !== undefined && start - enqueuedAt > farthest

const zoneOf = (delay: Delay): DateTime.TimeZone | undefined =>
  typeof delay?.timezone === "string" ? Option.getOrUndefined(TimeZone.parse(delay.timezone)) : Instant.utc

/**
 * When a message may start, in epoch ms, as far as that is known when it is accepted at `enqueuedAt`; `undefined`: at
 * once. A duration is rounded up to whole minutes (api.md 26.6).
 */
export const startOf = (delay: Delay, enqueuedAt: number): number | undefined => {
  const waits = durationOf(delay, enqueuedAt)
  const zone = zoneOf(delay)
  const named = typeof delay?.until !== "string" || zone === undefined || isOfRecipient(delay)
    ? undefined
    : Instant.parse(delay.until, zone)
  if (isNever(named, enqueuedAt)) return undefined
  const start = waits === undefined || named === undefined ? waits ?? named : Math.max(waits, named)
  return start === undefined || start <= enqueuedAt ? undefined : start
}

/**
 * Why the delay of a message that was accepted at `enqueuedAt` is invalid; `undefined` if it is valid. The send is
 * accepted all the same, and its message ends with this error (api.md 26.6). A date more than ten years away counts as
 * invalid.
 */
export const fault = (delay: Delay, enqueuedAt: number): string | undefined => {
  if (typeof delay?.until !== "string") return undefined
  const zone = zoneOf(delay)
  if (zone === undefined) return `delay.timezone is not a time zone: ${delay.timezone}`
  if (hoursOf(delay) !== undefined) return undefined
  const named = Instant.parse(delay.until, zone)
  if (named === undefined) return `delay.until is neither a date nor opening hours: ${delay.until}`
  return isNever(named, enqueuedAt) ? `delay.until is more than ten years away: ${delay.until}` : undefined
}

/**
 * Until when a message has to wait for its recipient's time, in epoch ms. `undefined`: it waits no longer, or the delay
 * is invalid, in which case waiting would only put off its error. Fails with an error text if opening hours do not come
 * within 90 days.
 */
export const waitOf = (delay: Delay, profile: Profile, now: number): Result.Result<number | undefined, string> => {
  if (typeof delay?.until !== "string" || !isOfRecipient(delay) || fault(delay, now) !== undefined) {
    return Result.succeed(undefined)
  }
  const zone = TimeZone.first([delay.timezone, profile["zoneinfo"], profile["timezone"]])
  const hours = hoursOf(delay)
  const start = hours === undefined ? Instant.parse(delay.until, zone) : OpeningHours.next(hours, zone, now)
  if (hours !== undefined && start === undefined) {
    return Result.fail(`delay.until does not come within 90 days: ${delay.until}`)
  }
  return Result.succeed(start === undefined || start <= now ? undefined : start)
}
