import { jsonDepth } from "#layers/http/body/JsonDepth.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : 1 + Object.values(value).reduce((deepest: number, item) => Math.max(deepest, depthOf(item)), 0)

const Tricky = Schema.Array(Schema.Literals(["\\", "\"", "[", "]", "{", "}", "\\\\", "a", "\u2028", "\ud800"]))

describe("jsonDepth", () => {
  it.effect.prop("is the depth of the parsed value", { value: Schema.Json }, ({ value }) =>
    Effect.sync(() => {
      assert.strictEqual(jsonDepth(JSON.stringify(value), Infinity), depthOf(value))
      assert.strictEqual(jsonDepth(JSON.stringify(value, null, "\t"), Infinity), depthOf(value))
    }))

  it.effect.prop(
    "strings of quotes, backslashes and brackets do not count",
    { parts: Tricky, value: Schema.Json },
    ({ parts, value }) =>
      Effect.sync(() => {
        const text = parts.join("")
        assert.strictEqual(jsonDepth(JSON.stringify([text, { [text]: value }]), Infinity), depthOf(value) + 2)
      })
  )

  it("stops at the limit", () => {
    assert.strictEqual(jsonDepth("[".repeat(1000), 64), 65)
    assert.strictEqual(jsonDepth("[".repeat(64) + "]".repeat(64), 64), 64)
  })

  it("ends where a string does not", () => {
    assert.strictEqual(jsonDepth("[\"[[[", 64), 1)
    assert.strictEqual(jsonDepth("[\"\\", 64), 1)
  })
})
