import { SecretKey } from "#src/access/SecretKey.ts"
import * as Opaque from "#src/access/Opaque.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const opaque = (purpose: string, fill = 7) =>
  Effect.map(SecretKey, (key) => Opaque.make(key, purpose)).pipe(Effect.provide(secretKey(fill)))

const tagOf = (sealed: string): string => Buffer.from(sealed, "base64url").subarray(0, 16).toString("hex")

describe("Opaque (P9)", () => {
  it.effect.prop(
    "any text comes back in its place, is the same each time, and shows nothing",
    { text: Schema.String },
    ({ text }) =>
      Effect.gen(function*() {
        const { open, seal } = yield* opaque("a")
        const wellFormed = text.toWellFormed()
        const sealed = seal("1 list", wellFormed)
        assert.match(sealed, /^[A-Za-z0-9_-]+$/)
        if (wellFormed.length > 4) assert.notInclude(Buffer.from(sealed, "base64url").toString(), wellFormed)
        assert.strictEqual(open("1 list", sealed), wellFormed)
        assert.strictEqual(seal("1 list", wellFormed), sealed)
      })
  )

  it.effect("a text without characters comes back too", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* opaque("a")
      assert.strictEqual(open("1 list", seal("1 list", "")), "")
    }))

  it.effect("another place, purpose or key, any changed character and any other spelling opens nothing", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* opaque("a")
      const sealed = seal("1 list", "secret text")
      const others = [
        open("2 list", sealed),
        (yield* opaque("b")).open("1 list", sealed),
        (yield* opaque("a", 8)).open("1 list", sealed),
        ...Array.from(
          sealed,
          (character, n) =>
            open("1 list", `${sealed.slice(0, n)}${character === "A" ? "B" : "A"}${sealed.slice(n + 1)}`)
        ),
        ...["", "x", sealed.slice(0, 20), `${sealed}=`, `${sealed}\n`, ` ${sealed}`, `${sealed}A`].map((other) =>
          open("1 list", other)
        )
      ]
      assert.deepStrictEqual(others, others.map(() => undefined))
    }))

  it.effect("no two texts share a key stream, though place and text make one word", () =>
    Effect.gen(function*() {
      const { seal } = yield* opaque("a")
      assert.notStrictEqual(tagOf(seal("a", "bc")), tagOf(seal("ab", "c")))
    }))

  it.effect("what an earlier version sealed opens: links in mails that were sent outlive it", () =>
    Effect.gen(function*() {
      const { open } = yield* opaque("a")
      assert.strictEqual(open("1 list", "QUdVMPOtN62hFACNog-3s_AkWeoIKdYYrl52"), "secret text")
    }))
})
