import * as Size from "#src/delivery/journal/Size.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("What a payload costs to hold", () => {
  it.prop("is about the length of its JSON", { value: Schema.Json }, ({ value }) => {
    const { length } = JSON.stringify(value)
    const size = Size.of(value)
    // A character may be written as six; 0.5 counts as a number of 22.
    assert.isAtLeast(size * 6, length)
    assert.isAtMost(size, 8 * length)
  })

  it("and what is long only once it is written out is long", () => {
    const numbers = Array.from({ length: 10_000 }, () => 1e20)
    assert.approximately(Size.of(numbers), JSON.stringify(numbers).length, 30_000)
  })

  it("and what is said once more counts once more", () => {
    const text = "x".repeat(1_000_000)
    assert.approximately(Size.of({ data: { a: [text, { b: text }] } }), 2_000_000, 100)
  })
})
