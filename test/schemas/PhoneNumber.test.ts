import * as PhoneNumber from "#schemas/PhoneNumber.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Digits = Schema.Array(Schema.Literals([..."0123456789"]))
const Signs = Schema.Array(Schema.Literals(["", " ", "-", ".", "(", ")", "\u00a0", " ("]))

describe("PhoneNumber", () => {
  it.effect.prop(
    "a plus and 5 to 15 digits, of which the first is no 0, are a number, with whatever signs between them",
    { digits: Digits.check(Schema.isMaxLength(18)), signs: Signs },
    ({ digits, signs }) =>
      Effect.sync(() => {
        const isOne = digits.length >= 5 && digits.length <= 15 && digits[0] !== "0"
        const written = `+${digits.map((digit, index) => `${digit}${signs[index] ?? ""}`).join("")}`
        assert.strictEqual(PhoneNumber.e164(written), isOne ? `+${digits.join("")}` : undefined)
      })
  )

  it("is a number also with the marks that programs put around it, and with any hyphen", () => {
    const copied = [
      "\u202a+1 415 555‑2671\u202c",
      "\u2066+1–415−555-2671\u2069",
      "\u200e+1(415)\u2060555\u200b2671\ufeff",
      "+1\u00ad4155552671"
    ]
    for (const text of copied) assert.strictEqual(PhoneNumber.e164(text), "+14155552671", JSON.stringify(text))
  })

  it("nothing else is one", () => {
    for (const text of ["", "+", "14155552671", "++14155552671", "+1415555267a", "+14155552671,", "tel:+14155552671"])
      assert.isUndefined(PhoneNumber.e164(text), text)
    assert.strictEqual(PhoneNumber.e164("+1415555267".padEnd(16, "0")), "+141555526700000")
    assert.isUndefined(PhoneNumber.e164("+1415555267".padEnd(17, "0")))
    assert.deepStrictEqual([PhoneNumber.e164("+12345"), PhoneNumber.e164("+1234")], ["+12345", undefined])
  })
})
