import { findJsonFault } from "#layers/http/body/JsonFault.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const described = (text: string): string => {
  const fault = findJsonFault(text)
  return fault === undefined ? "none" : `${fault.reason} ${fault.line}:${fault.column}`
}

const Edit = Schema.Struct({
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })),
  remove: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
  insert: Schema.Literals(["", ...",:]}[{\"\\0-.e+t/\u0000\u00a0\ufeff", "\\u12", "nul"])
})

const faults: Array<[text: string, fault: string]> = [
  ["", "Unexpected end of input 1:1"],
  [" ", "Unexpected end of input 1:2"],
  ["tru", "Unexpected token 't' 1:1"],
  ["nulll", "Unexpected token 'l' 1:5"],
  ["01", "Unexpected token '1' 1:2"],
  ["1.", "Unexpected token '.' 1:2"],
  ["-", "Unexpected token '-' 1:1"],
  ["+1", "Unexpected token '+' 1:1"],
  [".5", "Unexpected token '.' 1:1"],
  ["1e", "Unexpected token 'e' 1:2"],
  ["0x1", "Unexpected token 'x' 1:2"],
  ["NaN", "Unexpected token 'N' 1:1"],
  ["'a'", "Unexpected token ''' 1:1"],
  ["{a:1}", "Unexpected token 'a' 1:2"],
  ["{\"a\" 1}", "Unexpected token '1' 1:6"],
  ["{\"a\":1,}", "Unexpected token '}' 1:8"],
  ["[1,]", "Unexpected token ']' 1:4"],
  ["[1 2]", "Unexpected token '2' 1:4"],
  ["[}", "Unexpected token '}' 1:2"],
  ["{]", "Unexpected token ']' 1:2"],
  ["[1}", "Unexpected token '}' 1:3"],
  ["]", "Unexpected token ']' 1:1"],
  ["[] []", "Unexpected token '[' 1:4"],
  ["[\n\n x", "Unexpected token 'x' 3:2"],
  ["\"a", "Unexpected end of input 1:3"],
  ["\"a\nb\"", "Unexpected character U+000A 1:3"],
  ["\"\\x\"", "Unexpected token '\\' 1:2"],
  ["\"\\u12g4\"", "Unexpected token '\\' 1:2"],
  ["\"\t\"", "Unexpected character U+0009 1:2"],
  ["[\u00a0]", "Unexpected character U+00A0 1:2"],
  ["[\ud83d\ude00]", "Unexpected character U+1F600 1:2"],
  ["// c\n1", "Unexpected token '/' 1:1"]
]

describe("findJsonFault", () => {
  it.effect.prop(
    "finds none in JSON",
    { value: Schema.Json },
    ({ value }) => Effect.sync(() => assert.strictEqual(described(JSON.stringify(value, null, 1)), "none"))
  )

  it.effect.prop(
    "finds one exactly where JSON.parse refuses",
    { value: Schema.Json, edit: Edit },
    ({ value, edit }) =>
      Effect.sync(() => {
        const text = JSON.stringify(value, null, 1)
        const at = Math.min(edit.at, text.length)
        const edited = text.slice(0, at) + edit.insert + text.slice(at + edit.remove)
        assert.strictEqual(findJsonFault(edited) === undefined, isJson(edited), edited)
      }),
    { arbitrary: { runs: 2000 } }
  )

  it("names the first place at which the text can no longer be JSON", () => {
    assert.deepStrictEqual(faults.map(([text]) => [text, described(text)]), faults)
  })

  it("walks large texts: one long string, and very deep ones", () => {
    assert.strictEqual(described(`["${"a".repeat(6_000_000)}",]`), "Unexpected token ']' 1:6000005")
    assert.strictEqual(described("[".repeat(1_000_000)), "Unexpected end of input 1:1000001")
    assert.strictEqual(described(`["${"\\n".repeat(2_000_000)}`), "Unexpected end of input 1:4000003")
    assert.strictEqual(described("1".repeat(6_000_000) + "x"), "Unexpected token 'x' 1:6000001")
  })
})
