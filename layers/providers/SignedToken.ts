import { Misconfigured } from "#schemas/DeliveryError.ts"
import { Clock, Effect, Redacted } from "effect"
import { importPKCS8, SignJWT } from "jose"

/** A JWT signed with a private key in PEM (PKCS #8), issued now. */
export const make = Effect.fnUntraced(function*(options: {
  readonly algorithm: "RS256" | "ES256"
  readonly privateKey: Redacted.Redacted<string>
  readonly keyId?: string
  readonly claims: Readonly<Record<string, string>>
  /** If left out, the token has no `exp`. */
  readonly lifetimeSeconds?: number
}) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const { algorithm: alg, keyId: kid, lifetimeSeconds } = options
  return yield* Effect.tryPromise({
    try: async () => {
      const key = await importPKCS8(Redacted.value(options.privateKey).replaceAll("\\n", "\n"), alg)
      const token = new SignJWT({ ...options.claims, iat: now })
        .setProtectedHeader(kid === undefined ? { alg, typ: "JWT" } : { alg, kid })
      return await (lifetimeSeconds === undefined ? token : token.setExpirationTime(now + lifetimeSeconds)).sign(key)
    },
    catch: () => new Misconfigured({ detail: `The private key is no ${alg} key in PKCS #8` })
  })
})
