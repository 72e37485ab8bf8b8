import { isWritten } from "#src/content/Elemental.ts"
import { elements, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const place = { channel: "sms", providers: ["mine", "twilio"] }

describe("Whether content has anything for a channel and provider (api.md 2.5)", () => {
  it("unless all its elements are for others, it has", () => {
    const written = (...of: ReadonlyArray<Piece>) => isWritten(elements(...of), place)
    const part = (channel: string): Piece => ({ type: "channel", channel })
    const seen = (...channels: ReadonlyArray<string>): Piece => ({ type: "text", content: "a", channels })
    for (const name of ["sms", "mine", "twilio"]) {
      assert.isTrue(written(part("email"), part(name)), name)
      assert.isTrue(written(seen("email"), seen("push", name)), name)
    }
    assert.isTrue(written(part("email"), part("default")))
    assert.isTrue(written(seen("email"), { type: "text", content: "a" }))
    assert.isFalse(written(part("email"), part("vonage")))
    assert.isFalse(written(seen("email"), seen("push", "vonage"), seen()))
    // Beside `channel` elements nothing else is shown.
    const beside = [part("email"), { type: "text", content: "a" }]
    assert.isFalse(written(...beside))
    assert.strictEqual(render(elements(...beside), { channel: "sms" }).text, "")
  })

  it("HTML is for mails, comments are for nobody, and what holds only such things is as they are", () => {
    const html: Piece = { type: "html", content: "<b>a</b>" }
    const comment: Piece = { type: "comment", comment: "a" }
    const mail = { channel: "email", providers: ["smtp"] }
    for (
      const pieces of [
        [html, comment],
        [{ type: "group", elements: [html, { type: "columns", elements: [{ type: "column", elements: [html] }] }] }],
        [{ type: "channel", channel: "default", elements: [html] }]
      ]
    ) {
      assert.isFalse(isWritten(elements(...pieces), place))
      assert.isTrue(isWritten(elements(...pieces), mail))
      assert.isTrue(isWritten(elements(...pieces.map((piece) => ({ ...piece, raw: {}, elements: [] }))), mail))
    }
    assert.isFalse(isWritten(elements(comment), mail))
    assert.isTrue(isWritten(elements(html, { type: "meta", title: "a" }), place))
    assert.isTrue(isWritten(elements({ type: "channel", channel: "sms", raw: { text: "a" }, elements: [html] }), place))
  })

  it("a title or a body is for all", () => {
    const { elements: others } = elements({ type: "channel", channel: "email" })
    for (const said of [{ title: "t" }, { body: "b" }, { title: "", elements: [] }]) {
      assert.isTrue(isWritten({ elements: others, ...said }, place))
    }
    assert.isFalse(isWritten({ elements: others, title: null }, place))
    assert.isTrue(isWritten({ elements: null }, place))
    assert.isTrue(isWritten({}, place))
  })
})
