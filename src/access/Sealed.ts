import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { createCipheriv, createDecipheriv } from "node:crypto"

/** The text was not sealed here, for this place, or with this installation's key. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("SealBroken", { place: Schema.String }) {}

const nonceBytes = 12
const tagBytes = 16

/** Encrypts and authenticates texts of one purpose, each bound to the place it is stored in. */
export interface Seal {
  readonly seal: (place: string, text: Redacted.Redacted) => Effect.Effect<string>
  /** The text that `seal` was given for the very same place. */
  readonly open: (place: string, sealed: string) => Effect.Effect<Redacted.Redacted, SealBroken>
}

/**
 * AES-256-GCM under a key of its own per purpose, with a random nonce per text; base64url of nonce, tag and text (P9).
 */
export const make = Effect.fnUntraced(function*(purpose: string) {
  const random = yield* SecureRandom.SecureRandom
  const key = derive(yield* SecretKey, `sealed/${purpose}`)

  const seal: Seal["seal"] = Effect.fnUntraced(function*(place, text) {
    const nonce = yield* random.randomBytes(nonceBytes)
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place))
    const hidden = Buffer.concat([cipher.update(Redacted.value(text), "utf8"), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url")
  })

  const open: Seal["open"] = (place, sealed) =>
    Effect.try({
      try: () => {
        const bytes = Buffer.from(sealed, "base64url")
        const nonce = bytes.subarray(0, nonceBytes)
        const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
        const hidden = bytes.subarray(nonceBytes + tagBytes)
        return Redacted.make(Buffer.concat([decipher.update(hidden), decipher.final()]).toString())
      },
      catch: () => new SealBroken({ place })
    })

  return { seal, open } satisfies Seal
})
