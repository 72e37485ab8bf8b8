import { cut, fill, mark } from "#src/content/layout/Cut.ts"
import * as Frame from "#src/content/Frame.ts"
import { assert, describe, it } from "@effect/vitest"

describe("A cut page", () => {
  it("holds no NUL, whether it was the page's own or came with what fills it", () => {
    const page = cut(`<p>\0${mark("a")}\0 {{b\0}}</p>`, ["a"], { a: "!" })
    const filled = fill(page, { a: "\0A\0" }, (template) => `${template}\0`)
    assert.strictEqual(Frame.join(filled), "<p>A! {{b}}</p>")
  })
})
