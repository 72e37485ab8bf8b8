import { isList, isObject } from "#schemas/Json.ts"
import { Forged } from "#src/reports/Callbacks.ts"
import { Buffer } from "node:buffer"
import { createHash, timingSafeEqual } from "node:crypto"
import { Clock, DateTime, Effect, Option, Schema } from "effect"

/** How far a signed time may be from now, in ms: an older one may be a replay. */
const tolerance = 5 * 60_000

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** Compares secrets in a time that does not depend on them, whatever their lengths. */
export const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

/** The bytes of a base64 text if it is in canonical form, else `undefined`. */
export const base64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length > 0 && bytes.toString("base64") === text ? bytes : undefined
}

export const forged = (detail: string): Effect.Effect<never, Forged> => Effect.fail(new Forged({ detail }))

/**
 * Fails as forged unless a signed time (epoch ms) is within 5 minutes of now; it may be older by `retried` ms, for as
 * long as the vendor repeats a post.
 */
export const fresh = (at: number | undefined, retried = 0): Effect.Effect<void, Forged> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) =>
      at !== undefined && at <= now + tolerance && at >= now - retried - tolerance
        ? Effect.void
        : forged(`its signed time is not within ${(retried + tolerance) / 60_000} minutes of now`)
  )

/** Epoch ms of an ISO 8601 text. */
export const instant = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))

/** As deep as vendors nest what is read. */
const deepest = 5

/** JSON without its members that are `null`: a vendor that has nothing to say may say that, and the rest counts. */
const withoutNulls = (value: Schema.Json, depth = 0): Schema.Json => {
  if (depth === deepest) return value
  if (isList(value)) return value.map((item) => withoutNulls(item, depth + 1))
  return isObject(value)
    ? Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) =>
        member === null ? [] : [[name, withoutNulls(member, depth + 1)]]
      )
    )
    : value
}

const parsed = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** Reads JSON text by a schema, without its nulls. */
export const reading = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (text: string): Option.Option<S["Type"]> => Option.flatMap(parsed(text), (json) => decode(withoutNulls(json)))
}

const decoder = new TextDecoder()

export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)
