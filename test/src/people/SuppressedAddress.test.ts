import { SuppressionChannel } from "#schemas/Suppression.ts"
import * as Text from "#schemas/Text.ts"
import * as SuppressedAddress from "#src/people/SuppressedAddress.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Local = Schema.NonEmptyArray(Schema.Literals([..."aBz9.+_-"]))
const Domain = Schema.NonEmptyArray(Schema.Literals(["a", "Example", "x9", "com", "CO"]))

describe("SuppressedAddress", () => {
  it.effect.prop(
    "an address has one spelling, whatever its case and however it was padded",
    { local: Local, domain: Domain },
    ({ domain, local }) =>
      Effect.sync(() => {
        const written = `${local.join("")}@${domain.join(".")}`
        const expected = written.toLowerCase()
        for (const form of [written, expected, written.toUpperCase(), ` ${written}\n`]) {
          assert.strictEqual(SuppressedAddress.of("email", form), expected)
        }
      })
  )

  it.effect.prop(
    "whatever the text, it is none of the channel's or has a spelling that is its own, and that a store keeps",
    { channel: SuppressionChannel, text: Schema.String, more: Schema.String },
    ({ channel, more, text }) =>
      Effect.sync(() => {
        for (const written of [text, `${text}@${more}`, `+49${text}`]) {
          const one = SuppressedAddress.of(channel, written)
          if (one === undefined) continue
          assert.strictEqual(SuppressedAddress.of(channel, one), one)
          assert.isTrue(Text.isStorable(one))
        }
      })
  )

  it("a domain beyond ASCII is that which mail is sent to", () => {
    assert.strictEqual(SuppressedAddress.of("email", "Ärger@BÜCHER.example"), "ärger@xn--bcher-kva.example")
    assert.strictEqual(SuppressedAddress.of("email", "ärger@xn--bcher-kva.example"), "ärger@xn--bcher-kva.example")
  })

  it("a number is in E.164", () => {
    assert.strictEqual(SuppressedAddress.of("sms", "+49 (151) 123-45678"), "+4915112345678")
  })

  it("what is no address of the channel is none", () => {
    const none = [
      "",
      "ada",
      "@example.com",
      "ada@",
      "a b@example.com",
      "a\u00a0b@example.com",
      "ada@exa\u2003mple.com",
      "ada@a@b",
      "Ada <ada@example.com>",
      "+4915112345678"
    ]
    for (const text of none) assert.isUndefined(SuppressedAddress.of("email", text), text)
    for (const text of ["", "015112345678", "ada@example.com", "+0151"])
      assert.isUndefined(SuppressedAddress.of("sms", text), text)
    assert.isUndefined(SuppressedAddress.of("email", `${"a".repeat(310)}@example.com`))
  })
})
