import * as Sealed from "#src/access/Sealed.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"

const sealer = (purpose: string, fill = 7) =>
  Sealed.make(purpose).pipe(Effect.provide([secretKey(fill), NodeCrypto.layer]))

const refused = (effect: Effect.Effect<unknown, Sealed.SealBroken>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => assert.strictEqual(_tag, "SealBroken"))

describe("Sealed (P9)", () => {
  it.effect.prop(
    "any text comes back in its place, and shows nothing",
    { text: Schema.String },
    ({ text }) =>
      Effect.gen(function*() {
        const { open, seal } = yield* sealer("a")
        const wellFormed = text.toWellFormed()
        const sealed = yield* seal("1 pc_x", Redacted.make(wellFormed))
        assert.match(sealed, /^[A-Za-z0-9_-]+$/)
        if (wellFormed.length > 4) assert.notInclude(Buffer.from(sealed, "base64url").toString(), wellFormed)
        assert.strictEqual(Redacted.value(yield* open("1 pc_x", sealed)), wellFormed)
        assert.notStrictEqual(yield* seal("1 pc_x", Redacted.make(wellFormed)), sealed)
      })
  )

  it.effect("another place, purpose, key, or any changed character opens nothing", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* sealer("a")
      const sealed = yield* seal("1 pc_x", Redacted.make("secret"))
      yield* refused(open("2 pc_x", sealed))
      yield* refused((yield* sealer("b")).open("1 pc_x", sealed))
      yield* refused((yield* sealer("a", 8)).open("1 pc_x", sealed))
      yield* Effect.forEach(Array.from(sealed.slice(0, -1)), (character, n) =>
        refused(open("1 pc_x", `${sealed.slice(0, n)}${character === "A" ? "B" : "A"}${sealed.slice(n + 1)}`)))
      yield* Effect.forEach(["", "x", sealed.slice(0, 20)], (cut) =>
        refused(open("1 pc_x", cut)))
    }))

  it.effect("what an earlier version sealed opens: an installation's provider settings outlive it", () =>
    Effect.gen(function*() {
      const { open } = yield* sealer("a")
      const text = yield* open("1 pc_x", "dQj8JV67lJgDNPy4wlBNKTQKBeUW-d9fSbmB2xI6YuzBRw")
      assert.strictEqual(Redacted.value(text), "secret")
    }))
})
