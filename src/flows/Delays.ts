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

const durationOf = (delay: Delay): number =>
  typeof delay?.duration === "number" ? Math.ceil(delay.duration / minute) * minute : 0

/** A date farther away than this, ten years in ms, is not meant: `9999-12-31` stands for "never" in many databases. */
const farthest = 10 * 366 * 24 * 60 * minute

const zoneOf = (delay: Delay): DateTime.TimeZone | undefined =>
  typeof delay?.timezone === "string" ? Option.getOrUndefined(TimeZone.parse(delay.timezone)) : Instant.utc

/** The instant that `until` names, in epoch ms, if it names one for all recipients; or why the delay is invalid. */
const namedOf = (delay: Delay, enqueuedAt: number): Result.Result<number | undefined, string> => {
  if (typeof delay?.until !== "string") return Result.succeed(undefined)
  const zone = zoneOf(delay)
  if (zone === undefined) return Result.fail(`delay.timezone is not a time zone: ${delay.timezone}`)
  if (hoursOf(delay) !== undefined) return Result.succeed(undefined)
  const named = Instant.parse(delay.until, zone)
  if (named === undefined) return Result.fail(`delay.until is neither a date nor opening hours: ${delay.until}`)
  return named - enqueuedAt > farthest
    ? Result.fail(`delay.until is more than ten years away: ${delay.until}`)
    : Result.succeed(isOfRecipient(delay) ? undefined : named)
}

/**
 * When a message may start, in epoch ms, as far as that is known when it is accepted at `enqueuedAt`; `undefined`: at
 * once, as where the delay is invalid. A duration is rounded up to whole minutes (api.md 26.6).
 */
export const startOf = (delay: Delay, enqueuedAt: number): number | undefined => {
  const named = namedOf(delay, enqueuedAt)
  if (Result.isFailure(named)) return undefined
  const start = Math.max(enqueuedAt + durationOf(delay), named.success ?? enqueuedAt)
  return start > enqueuedAt ? start : undefined
}

/**
 * Why the delay of a message that was accepted at `enqueuedAt` is invalid; `undefined` if it is valid. The send is
 * accepted all the same, and its message ends with this error (api.md 26.6). A date more than ten years away counts as
 * invalid.
 */
export const fault = (delay: Delay, enqueuedAt: number): string | undefined =>
  Option.getOrUndefined(Result.getFailure(namedOf(delay, enqueuedAt)))

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
