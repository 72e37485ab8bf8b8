import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const bytes = 32

/** Makes secrets for webhooks whose callers bring none, in the form of standardwebhooks.com. */
export const make = Effect.map(
  SecureRandom.SecureRandom,
  (random) =>
    Effect.map(random.randomBytes(bytes), (chance) => Redacted.make(`whsec_${Buffer.from(chance).toString("base64")}`))
)
