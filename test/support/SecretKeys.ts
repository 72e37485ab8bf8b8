import { SecretKey } from "#src/access/SecretKey.ts"
import { Layer, Redacted } from "effect"

/** An installation's key, every byte of which is `fill`: two of one number are one key. */
export const secretKey = (fill: number) =>
  Layer.succeed(SecretKey, SecretKey.of({ bytes: Redacted.make(new Uint8Array(32).fill(fill)) }))
