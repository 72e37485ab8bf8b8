import { Redacted } from "effect"
import { createHmac } from "node:crypto"

const prefix = "whsec_"

/** The bytes that a secret signs with: those that it names in base64 behind `whsec_`, else its own. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret)

const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text)

/**
 * The headers that prove an event's origin, signed at `at` (epoch ms). `courier-signature` (api.md 25.1) is of the newest
 * secret, as it is written. Those of standardwebhooks.com 1.0.0 hold a signature of each secret that signs now.
 */
export const headers = (
  secrets: ReadonlyArray<Redacted.Redacted>,
  { at, body, id }: { readonly id: string; readonly at: number; readonly body: string }
): Readonly<Record<string, string>> => {
  const texts = secrets.map(Redacted.value)
  const seconds = Math.floor(at / 1_000)
  const signatures = texts.map((text) => `v1,${hmac(keyOf(text), `${id}.${seconds}.${body}`).digest("base64")}`)
  return {
    "courier-signature": `t=${at},signature=${hmac(texts[0] ?? "", `${at}.${body}`).digest("hex")}`,
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" ")
  }
}
