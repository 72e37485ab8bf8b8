import { fromEpoch, fromIso } from "#schemas/WrittenTime.ts"
import { Effect, Schema } from "effect"

/** The idempotency headers are malformed: 400, and nothing is stored. */
export class HeaderRefused extends Schema.TaggedError<HeaderRefused>()("HeaderRefused", { detail: Schema.String }) {}

/** A caller's key, and until when it holds: epoch ms. */
export interface KeyHeader {
  readonly value: string
  readonly expiresAt: number
}

const hour = 3_600_000
const shortest = 25 * hour
const longest = 365 * 24 * hour

/** How long a key may be. */
export const longestKey = 255

/**
 * The characters of a key: printable ASCII, without spaces around it. It excludes a comma with a space after it, by
 * which two headers of one name are joined.
 */
export const keyPattern = "^(?!.*, )[!-~]([ -~]*[!-~])?$"
const characters = new RegExp(keyPattern)

const isKey = (value: string): boolean => value.length <= longestKey && characters.test(value)

/** Seconds or milliseconds: the published client's documentation and the API's disagree (api.md 1.5). */
const expiry = (text: string): number | undefined =>
  /^(?:\d{9,11}|\d{13,16})$/.test(text) ? fromEpoch(Number(text)) : fromIso(text)

/** Whether `x-idempotency-expiration` is a time; `true` without the header. */
export const isExpiration = (text: string | undefined): boolean => text === undefined || expiry(text) !== undefined

/** The refusal of an expiration that is no time. */
export const notADate = "Expiration is not a valid date"

/**
 * Reads `Idempotency-Key` (1–255 printable ASCII characters, once) and `x-idempotency-expiration` (ISO 8601, epoch ms
 * or epoch s; moved into 25 hours to one year from `now`).
 */
export const parse = (
  value: string,
  expiration: string | undefined,
  now: number
): Effect.Effect<KeyHeader, HeaderRefused> => {
  if (!isKey(value)) {
    return Effect.fail(
      new HeaderRefused({ detail: "Idempotency-Key: Expected one header of 1 to 255 printable ASCII characters" })
    )
  }
  const wanted = expiration === undefined ? now : expiry(expiration)
  if (wanted === undefined) return Effect.fail(new HeaderRefused({ detail: notADate }))
  return Effect.succeed({ value, expiresAt: Math.min(Math.max(wanted, now + shortest), now + longest) })
}
