import { Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

/**
 * What follows the scheme's name, if the header has that scheme. Scheme names are case-insensitive (RFC 9110, 11.1).
 */
const credentials = (header: string, scheme: string): string | undefined => {
  const { length } = scheme
  if (header.charCodeAt(length) !== 0x20 || header.slice(0, length).toLowerCase() !== scheme) return undefined
  return header.slice(length + 1).trim()
}

const password = (encoded: string, email: string): string | undefined => {
  const decoded = Result.getOrUndefined(Base64.decodeString(encoded))
  return decoded?.startsWith(`${email}:`) === true ? decoded.slice(email.length + 1) : undefined
}

/**
 * The API key of an `Authorization` header: `Bearer <key>`, or `Basic base64(<account email>:<key>)` for this account's
 * email address. `undefined` when there is none; whether the key is one of ours is for `ApiKeys` to say.
 */
export const parse = (header: string | undefined, email: string): Redacted.Redacted | undefined => {
  if (header === undefined) return undefined
  const key = credentials(header, "bearer")
  if (key !== undefined) return key === "" ? undefined : Redacted.make(key)
  const encoded = credentials(header, "basic")
  const secret = encoded === undefined ? undefined : password(encoded, email)
  return secret === undefined || secret === "" ? undefined : Redacted.make(secret)
}
