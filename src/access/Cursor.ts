import type { Scope } from "#schemas/Scope.ts"
import { derive, type SecretKey } from "#src/access/SecretKey.ts"
import { InvalidCursor } from "#src/reports/MessageLog.ts"
import { Effect, Schema } from "effect"
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto"

/**
 * The last row of a page, in a list ordered by time and then id. `at` in epoch ms; 0 in a list ordered by id alone. The
 * id may be a caller's own.
 */
export const Position = Schema.Struct({ at: Schema.Number, id: Schema.String.check(Schema.isMaxLength(512)) })
export type Position = typeof Position.Type

/**
 * The list a cursor belongs to: it opens for the same scope, route and filters only (P10). The order of the filters
 * counts.
 */
export interface List {
  readonly scope: Scope
  readonly route: string
  readonly filters: Schema.Json
}

const tagBytes = 16

/** An id of 512 characters that JSON escapes as six each, in base64. */
const longest = 4_200

/** What the tag vouches for: the list and the position; JSON separates them beyond doubt. */
const tagOf = (key: SecretKey["Service"], { filters, route, scope }: List, position: Uint8Array) =>
  createHmac("sha256", derive(key, "cursor/tag"))
    .update(JSON.stringify([1, scope, route, filters]))
    .update("\n")
    .update(position)
    .digest()
    .subarray(0, tagBytes)

const encode = Schema.encodeSync(Schema.fromJsonString(Position))
const decode = Schema.decodeEffect(Schema.fromJsonString(Position))

/**
 * An opaque cursor: the position encrypted under its own authentication tag as the initial value (the construction of
 * SIV, RFC 5297), so it needs no chance and shows nothing.
 */
export const seal = (key: SecretKey["Service"], list: List, position: Position): string => {
  const plain = new TextEncoder().encode(encode(position))
  const tag = tagOf(key, list, plain)
  const cipher = createCipheriv("aes-256-ctr", derive(key, "cursor/text"), tag)
  return Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString("base64url")
}

/** The position that `seal` gave for the very same list. */
export const open = (
  key: SecretKey["Service"],
  list: List,
  cursor: string
): Effect.Effect<Position, InvalidCursor> => {
  const bytes = Buffer.from(cursor.slice(0, longest), "base64url")
  // The decoder skips what is no base64url; only the one spelling of the bytes counts.
  if (bytes.length <= tagBytes || bytes.toString("base64url") !== cursor) return Effect.fail(new InvalidCursor())
  const tag = bytes.subarray(0, tagBytes)
  const cipher = createDecipheriv("aes-256-ctr", derive(key, "cursor/text"), tag)
  const plain = Buffer.concat([cipher.update(bytes.subarray(tagBytes)), cipher.final()])
  if (!timingSafeEqual(tagOf(key, list, plain), tag)) return Effect.fail(new InvalidCursor())
  return decode(plain.toString()).pipe(Effect.mapError(() => new InvalidCursor()))
}
