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
    // What stands beside `channel` elements is for the channels that have none, but for a title, which says nothing alone.
    const mail = { type: "channel", channel: "email", elements: [{ type: "text", content: "m" }] }
    const beside = [mail, { type: "text", content: "a" }]
    assert.isTrue(written(...beside))
    assert.strictEqual(render(elements(...beside), { channel: "sms" }).text, "a")
    assert.strictEqual(render(elements(...beside), { channel: "email" }).text, "m")
    assert.isFalse(written(part("email"), { type: "meta", title: "t" }))
    assert.isFalse(written(part("email"), seen("email"), { type: "html", content: "a" }))
  })

  it("a title beside `channel` elements is that of each without its own", () => {
    const part = (...inner: ReadonlyArray<Piece>): Piece => ({ type: "channel", channel: "email", elements: inner })
    const [shared, own] = [{ type: "meta", title: "shared" }, { type: "meta", title: "own" }]
    const subject = (...of: ReadonlyArray<Piece>) => render(elements(...of), { channel: "email" }).subject
    const text = { type: "text", content: "a" }
    assert.strictEqual(subject(shared, part(text)), "shared")
    assert.strictEqual(subject(shared, part(own, text)), "own")
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
  })

  it("one without anything in it is for webhooks alone", () => {
    for (const nothing of [{}, { elements: null }, { title: null, elements: [] }]) {
      assert.isFalse(isWritten(nothing, place))
      assert.isTrue(isWritten(nothing, { channel: "webhook", providers: ["webhook"] }))
    }
  })
})
