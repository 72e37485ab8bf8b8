import { Scope } from "#schemas/Scope.ts"
import * as UserTokens from "#src/access/UserTokens.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, SignJWT } from "jose"

const principal = { scope: Scope.make(7), keyState: "draft" as const }
const tokens = (fill: number) => Layer.fresh(UserTokens.layer).pipe(Layer.provide(secretKey(fill)))

describe("UserTokens", () => {
  it.effect("hold until their expiry and no longer", () =>
    Effect.gen(function*() {
      const { authenticate, issue } = yield* UserTokens.UserTokens
      yield* TestClock.setTime(1_700_000_000_500)
      const token = Redacted.make(yield* issue(principal, ["user_id:ada", "read:messages"], 60_000))
      assert.isTrue(UserTokens.isToken(token))
      const { exp, iat } = decodeJwt(Redacted.value(token))
      assert.deepStrictEqual([iat, exp], [1_700_000_000, 1_700_000_060])
      assert.deepStrictEqual(yield* authenticate(token), {
        ...principal,
        grant: { scopes: new Set(["user_id:ada", "read:messages"]), userIds: ["ada"] }
      })
      yield* TestClock.adjust("59 seconds")
      yield* authenticate(token)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "InvalidKey")
    }).pipe(Effect.provide(tokens(1))))

  it.effect("one that is signed with our key is refused all the same if it is of another make, or has no end", () =>
    Effect.gen(function*() {
      const { authenticate } = yield* UserTokens.UserTokens
      const key = derive(yield* SecretKey, "user-tokens/sign")
      const sign = (alg: string, issuer: string, ends: boolean) =>
        Effect.map(
          Effect.promise(() => {
            const token = new SignJWT({ scope: "user_id:ada", environment: 7, key_state: "draft" })
              .setProtectedHeader({ alg })
              .setIssuer(issuer)
            return (ends ? token.setExpirationTime(60) : token).sign(key)
          }),
          Redacted.make
        )
      yield* authenticate(yield* sign("HS256", "tidings", true))
      yield* Effect.flip(authenticate(yield* sign("HS512", "tidings", true)))
      yield* Effect.flip(authenticate(yield* sign("HS256", "another", true)))
      yield* Effect.flip(authenticate(yield* sign("HS256", "tidings", false)))
    }).pipe(Effect.provide(Layer.merge(tokens(1), secretKey(1)))))

  it.effect.prop("do not hold for longer than they were asked for, whatever part of a second that begins and ends in", {
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
    lifetime: Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 3_000 }))
  }, ({ at, lifetime }) =>
    Effect.gen(function*() {
      const { authenticate, issue } = yield* UserTokens.UserTokens
      yield* TestClock.setTime(1_700_000_000_000 + at)
      const token = Redacted.make(yield* issue(principal, ["user_id:ada"], lifetime))
      yield* authenticate(token)
      yield* TestClock.adjust(lifetime)
      assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "InvalidKey")
    }).pipe(Effect.provide(tokens(1))))

  it.effect("one that is signed with our key and says nothing that we understand is refused", () =>
    Effect.gen(function*() {
      const { authenticate } = yield* UserTokens.UserTokens
      const key = derive(yield* SecretKey, "user-tokens/sign")
      for (
        const claims of [{}, { scope: "user_id:ada", environment: "7", key_state: "draft" }, {
          scope: 1,
          environment: 7,
          key_state: "draft"
        }]
      ) {
        const token = yield* Effect.promise(() =>
          new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setIssuer("tidings").setExpirationTime(60).sign(key)
        )
        assert.strictEqual((yield* Effect.flip(authenticate(Redacted.make(token))))._tag, "InvalidKey")
      }
    }).pipe(Effect.provide(Layer.merge(tokens(1), secretKey(1)))))

  it("name users by whole scopes alone, whatever an id is made of", () => {
    const scopes = ["user_id:a:b", "read:brands:user_id:eve", "read:messages", "user_id:user_id:c"]
    assert.deepStrictEqual(UserTokens.grantOf(scopes).userIds, ["a:b", "user_id:c"])
  })

  it("are told from other credentials by their whole text", () => {
    const isToken = (text: string) => UserTokens.isToken(Redacted.make(text))
    assert.isTrue(isToken("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"))
    for (
      const other of [
        "pk_prod_eyJ.e30.c2ln",
        " eyJ.e30.c2ln",
        "eyJ.e30.c2ln.e30",
        "eyJ.e30.c2ln\n",
        "eyJ.e30",
        "eyJ..c2ln",
        "eyJ.e30."
      ]
    )
      assert.isFalse(isToken(other), other)
  })

  it.effect("another installation's are none of ours", () =>
    Effect.gen(function*() {
      const token = yield* UserTokens.UserTokens.use((_) => _.issue(principal, ["user_id:ada"], 60_000)).pipe(
        Effect.provide(tokens(2))
      )
      const { authenticate } = yield* UserTokens.UserTokens
      assert.strictEqual((yield* Effect.flip(authenticate(Redacted.make(token))))._tag, "InvalidKey")
    }).pipe(Effect.provide(tokens(1))))
})
