import { elements, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

describe("What an author writes in a channel's own form", () => {
  it("says the body and the text, each in place of the other where that is not written, else the elements'", () => {
    const seen = (raw: Schema.JsonObject) => {
      const made = { type: "text", content: "made {{v}}" }
      const content = elements({ type: "channel", channel: "push", raw, elements: [made] })
      const { body, text, title } = render(content, { channel: "push", data: { v: "<v>" } })
      return [title, body, text]
    }
    assert.deepStrictEqual(seen({ body: "b {{v}}", text: "t {{v}}", title: "{{v}}" }), ["<v>", "b <v>", "t <v>"])
    assert.deepStrictEqual(seen({ body: "b" }), ["", "b", "b"])
    assert.deepStrictEqual(seen({ text: "t" }), ["", "t", "t"])
    assert.deepStrictEqual(seen({ title: "a\nb" }), ["a b", "made <v>", "made <v>"])
    assert.deepStrictEqual(seen({ body: 1, text: null }), ["", "made <v>", "made <v>"])
  })

  it("an action that leads nowhere is still one, and one that may not lead there is none", () => {
    const actions = ["", " ", "/a", "javascript:alert(1)"].map((href) => ({ type: "action", content: "Done", href }))
    assert.deepStrictEqual(render(elements(...actions)).actions.map(({ href }) => href), ["", "", "/a"])
  })
})
