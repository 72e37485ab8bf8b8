import * as Phone from "#layers/providers/Phone.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Digits = Schema.Array(Schema.Literals([..."0123456789"]))
const Signs = Schema.Array(Schema.Literals(["", " ", "-", ".", "(", ")", "\u00a0", " ("]))

describe("Phone", () => {
  it.effect.prop(
    "a plus and 5 to 15 digits, of which the first is no 0, are a number, with whatever signs between them",
    { digits: Digits.check(Schema.isMaxLength(18)), signs: Signs },
    ({ digits, signs }) =>
      Effect.sync(() => {
        const isOne = digits.length >= 5 && digits.length <= 15 && digits[0] !== "0"
        const written = `+${digits.map((digit, index) => `${digit}${signs[index] ?? ""}`).join("")}`
        assert.strictEqual(Phone.e164(written), isOne ? `+${digits.join("")}` : undefined)
      })
  )

  it("is a number also with the marks that programs put around it, and with any hyphen", () => {
    const copied = [
      "\u202a+1 415 555‑2671\u202c",
      "\u2066+1–415−555-2671\u2069",
      "\u200e+1(415)\u2060555\u200b2671\ufeff",
      "+1\u00ad4155552671"
    ]
    for (const text of copied) assert.strictEqual(Phone.e164(text), "+14155552671", JSON.stringify(text))
  })

  it("nothing else is one", () => {
    for (const text of ["", "+", "14155552671", "++14155552671", "+1415555267a", "+14155552671,", "tel:+14155552671"])
      assert.isUndefined(Phone.e164(text), text)
    assert.strictEqual(Phone.e164("+1415555267".padEnd(16, "0")), "+141555526700000")
    assert.isUndefined(Phone.e164("+1415555267".padEnd(17, "0")))
    assert.deepStrictEqual([Phone.e164("+12345"), Phone.e164("+1234")], ["+12345", undefined])
  })

  it("a profile has one number, or none where it is empty or no text", () => {
    assert.deepStrictEqual(Phone.recipients({ phone_number: "+14155552671" }), ["+14155552671"])
    for (const profile of [{}, { phone_number: "" }, { phone_number: 14155552671 }, { phone_number: null }])
      assert.deepStrictEqual(Phone.recipients(profile), [])
  })
})
