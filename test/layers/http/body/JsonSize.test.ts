import { jsonSize } from "#layers/http/body/JsonSize.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : 1 + Object.values(value).reduce((deepest: number, item) => Math.max(deepest, depthOf(item)), 0)

const valuesOf = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 1
    // An empty one counts as if it held something: a comma fewer than members, and one for its bracket.
    : 1 + Math.max(1, Object.values(value).reduce((sum: number, item) => sum + valuesOf(item), 0))

const without = { depth: Infinity, values: Infinity }
const within = { depth: 64, values: 1_000 }

const Tricky = Schema.Array(Schema.Literals(["\\", "\"", "[", "]", "{", "}", ",", "\\\\", "a", "\u2028", "\ud800"]))

describe("jsonSize", () => {
  it.effect.prop(
    "is the depth and the number of values of the parsed value",
    { value: Schema.Json },
    ({ value }) =>
      Effect.sync(() => {
        const size = { depth: depthOf(value), values: valuesOf(value) }
        assert.deepStrictEqual(jsonSize(JSON.stringify(value), without), size)
        assert.deepStrictEqual(jsonSize(JSON.stringify(value, null, "\t"), without), size)
      })
  )

  it.effect.prop(
    "what strings hold does not count",
    { parts: Tricky, value: Schema.Json },
    ({ parts, value }) =>
      Effect.sync(() => {
        const text = parts.join("")
        assert.deepStrictEqual(jsonSize(JSON.stringify([text, { [text]: value }]), without), {
          depth: depthOf(value) + 2,
          values: valuesOf(value) + 3
        })
      })
  )

  it("stops at the limits", () => {
    assert.strictEqual(jsonSize("[".repeat(1000), within).depth, 65)
    assert.strictEqual(jsonSize("[".repeat(64) + "]".repeat(64), within).depth, 64)
    assert.strictEqual(jsonSize(`[${"1,".repeat(5_000)}1]`, within).values, 1_001)
    assert.strictEqual(jsonSize(`[${"1,".repeat(998)}1]`, within).values, 1_000)
  })

  it("ends where a string does not", () => {
    assert.strictEqual(jsonSize("[\"[[[", within).depth, 1)
    assert.strictEqual(jsonSize("[\"\\", within).depth, 1)
  })
})
