import { derive, type SecretKey } from "#src/access/SecretKey.ts"
import { once } from "#src/cache/Once.ts"
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, timingSafeEqual } from "node:crypto"

/**
 * Encrypted and authenticated texts, which nobody without the key can read, change or forge. Each is bound to one
 * place: a text without line breaks.
 */
export interface Opaque {
  /** Answers base64url. Deterministic: the same text at the same place always gives the same. */
  readonly seal: (place: string, text: string) => string
  /** The text that `seal` was given for the very same place; `undefined` if there is none. */
  readonly open: (place: string, sealed: string) => string | undefined
}

const tagBytes = 16

/**
 * Encrypts a text with its own authentication tag as the initial value (the construction of SIV, RFC 5297), so it needs
 * no randomness. The keys are derived from the installation's, for this purpose alone.
 */
export const make = (key: SecretKey["Service"], purpose: string): Opaque => {
  // As key objects: with raw bytes, Node would make a new object for every use, at several times the cost of the use.
  const keyFor = (part: string) => once(() => createSecretKey(derive(key, `${purpose}/${part}`)))
  const tagKey = keyFor("tag")
  const textKey = keyFor("text")
  const tagOf = (place: string, text: Uint8Array) =>
    createHmac("sha256", tagKey()).update(place).update("\n").update(text).digest().subarray(0, tagBytes)

  return {
    seal: (place, text) => {
      const plain = new TextEncoder().encode(text)
      const tag = tagOf(place, plain)
      const cipher = createCipheriv("aes-256-ctr", textKey(), tag)
      return Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString("base64url")
    },
    open: (place, sealed) => {
      const bytes = Buffer.from(sealed, "base64url")
      // Node's decoder skips what is not base64url. Only the canonical spelling of the bytes is accepted.
      if (bytes.length < tagBytes || bytes.toString("base64url") !== sealed) return undefined
      const tag = bytes.subarray(0, tagBytes)
      const cipher = createDecipheriv("aes-256-ctr", textKey(), tag)
      const plain = Buffer.concat([cipher.update(bytes.subarray(tagBytes)), cipher.final()])
      return timingSafeEqual(tagOf(place, plain), tag) ? plain.toString() : undefined
    }
  }
}
