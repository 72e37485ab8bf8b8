import { Scope } from "#schemas/Scope.ts"
import { WebhookSecret } from "#schemas/Webhook.ts"
import * as NewSecret from "#src/reports/webhooks/NewSecret.ts"
import * as Secrets from "#src/reports/webhooks/Secrets.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"

const scope = Scope.make(1)
const crypto = Layer.merge(secretKey(7), NodeCrypto.layer)

const start = Effect.gen(function*() {
  const secrets = yield* Secrets.make
  const signing = (stored: string) =>
    Effect.map(secrets.open(scope, "wh_1", stored), (all) => all.map((one) => Redacted.value(one)))
  const renewed = (stored: string, secret: string) => secrets.renewed(scope, "wh_1", stored, Redacted.make(secret))
  return { renewed, secrets, signing, stored: yield* secrets.seal(scope, "wh_1", [{ secret: "first" }]) }
})

describe("Secrets of webhooks", () => {
  it.effect("a new one signs first; the one before signs for another day, and none before that", () =>
    Effect.gen(function*() {
      const { renewed, signing, stored } = yield* start
      const second = yield* renewed(stored, "second")
      assert.deepStrictEqual(yield* signing(second), ["second", "first"])
      yield* TestClock.adjust("12 hours")
      const third = yield* renewed(second, "third")
      assert.deepStrictEqual(yield* signing(third), ["third", "second"])
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* signing(second), ["second"])
      assert.deepStrictEqual(yield* signing(third), ["third", "second"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* signing(third), ["third"])
    }).pipe(Effect.provide(crypto)))

  it.effect("the same once more changes nothing: the one before signs on", () =>
    Effect.gen(function*() {
      const { renewed, signing, stored } = yield* start
      const second = yield* renewed(stored, "second")
      assert.deepStrictEqual(yield* signing(yield* renewed(second, "second")), ["second", "first"])
    }).pipe(Effect.provide(crypto)))

  it.effect("P9: nobody reads them without the key, nor as those of another webhook", () =>
    Effect.gen(function*() {
      const { secrets, stored } = yield* start
      assert.notInclude(stored, "first")
      const elsewhere = yield* Effect.provide(Secrets.make, Layer.merge(secretKey(8), NodeCrypto.layer))
      const refused = [
        secrets.open(scope, "wh_2", stored),
        secrets.open(Scope.make(2), "wh_1", stored),
        elsewhere.open(scope, "wh_1", stored)
      ]
      for (const each of refused) assert.strictEqual((yield* Effect.flip(each))._tag, "SealBroken")
    }).pipe(Effect.provide(crypto)))

  it.effect("those that cannot be read give way to a new one", () =>
    Effect.gen(function*() {
      const { renewed, signing } = yield* start
      assert.deepStrictEqual(yield* signing(yield* renewed("another key's", "second")), ["second"])
    }).pipe(Effect.provide(crypto)))

  it.effect("one that is made here is 32 bytes in base64, each time others", () =>
    Effect.gen(function*() {
      const make = yield* NewSecret.make
      const [one, other] = [Redacted.value(yield* make), Redacted.value(yield* make)]
      assert.isTrue(Schema.is(WebhookSecret)(one))
      assert.match(one, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.notStrictEqual(one, other)
    }).pipe(Effect.provide(crypto)))
})
