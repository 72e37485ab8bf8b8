import * as Size from "#src/delivery/journal/Size.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("What a payload costs to hold", () => {
  it.prop("is about the length of its JSON", { value: Schema.Json }, ({ value }) => {
    const { length } = JSON.stringify(value)
    const size = Size.of(value)
    // A character may be written as six, a number as some twenty.
    assert.isAtLeast(size * 6, length)
    assert.isAtMost(size, 5 * length)
  })

  it("and what is said once more counts once more", () => {
    const text = "x".repeat(1_000_000)
    assert.approximately(Size.of({ data: { a: [text, { b: text }] } }), 2_000_000, 100)
  })
})
