import * as SignedToken from "#layers/providers/SignedToken.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, decodeProtectedHeader } from "jose"
import { generateKeyPairSync } from "node:crypto"

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
const options = { algorithm: "ES256", privateKey: Redacted.make(pem), claims: { iss: "us" } } as const

describe("SignedToken", () => {
  it.effect("is issued now, in whole seconds, and ends when it says or never", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_999)
      const hourly = yield* SignedToken.make({ ...options, lifetimeSeconds: 3_600 })
      assert.deepStrictEqual(decodeJwt(hourly), { iss: "us", iat: 1_700_000_000, exp: 1_700_003_600 })
      const endless = yield* SignedToken.make({ ...options, keyId: "k1" })
      assert.deepStrictEqual(decodeJwt(endless), { iss: "us", iat: 1_700_000_000 })
      assert.deepStrictEqual([hourly, endless].map(decodeProtectedHeader), [
        { alg: "ES256", typ: "JWT" },
        { alg: "ES256", kid: "k1" }
      ])
    }))

  it.effect("a key whose line ends are written as in JSON is that key", () =>
    Effect.gen(function*() {
      const copied = Redacted.make(pem.replaceAll("\n", "\\n"))
      assert.strictEqual(decodeJwt(yield* SignedToken.make({ ...options, privateKey: copied })).iss, "us")
    }))
})
