import { Context, Redacted } from "effect"
import { createHmac } from "node:crypto"

/**
 * The 32 bytes of `TIDINGS_SECRET_KEY`, the same on every node. All other secrets of the service are derived from them.
 */
export class SecretKey extends Context.Service<SecretKey, {
  readonly bytes: Redacted.Redacted<Uint8Array>
}>()("tidings/SecretKey") {}

/** Derives 32 bytes for one purpose, so that what leaks from one use does not help against another. */
export const derive = (key: SecretKey["Service"], purpose: string): Uint8Array =>
  createHmac("sha256", Redacted.value(key.bytes)).update(purpose).digest()
