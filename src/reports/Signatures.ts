import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { Effect } from "effect"
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto"

/** Signs texts of one purpose, so that nobody else can make one. */
export interface Signatures {
  readonly sign: (text: string) => string
  readonly isSigned: (text: string, signature: string) => boolean
}

const length = 22

/** Compares in constant time. By bytes: one of the texts is the caller's, and may hold characters of several bytes. */
const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Signatures by a key that is derived from the installation's for this purpose. A key object: with raw bytes, every
 * signature would make a new one, at eight times the cost of signing.
 */
export const of = (purpose: string): Effect.Effect<Signatures, never, SecretKey> =>
  Effect.map(SecretKey, (secret) => {
    const key = createSecretKey(derive(secret, purpose))
    const sign = (text: string): string => createHmac("sha256", key).update(text).digest("base64url").slice(0, length)
    return { sign, isSigned: (text, signature) => isSame(signature, sign(text)) }
  })
