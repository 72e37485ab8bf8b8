import * as Frame from "#src/content/Frame.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import { branded, Letter, mail } from "#test/src/content/Mails.ts"
import { elements, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** A mail's own parts, which are all that a store has to keep of its HTML. */
const ownOf = (mail: Rendered): ReadonlyArray<string> => {
  const framed = Frame.of(mail)
  assert.isDefined(framed)
  assert.strictEqual(Frame.join(framed), mail.html)
  return framed.own
}

const frameOf = (mail: Rendered): Frame.Frame | undefined => Frame.of(mail)?.frame

describe("The frame of a mail", () => {
  it.effect.prop(
    "every mail has the frame of its page",
    { letter: Letter },
    ({ letter }) =>
      Effect.sync(() => {
        const one = mail(letter)
        ownOf(one)
        // No mail may have it (RFC 5322, 2.3).
        assert.notInclude(one.html, "\0")
      }),
    { arbitrary: { runs: 300 } }
  )

  it("holds all of a page but the words, so that every plain mail has one of two", () => {
    const mails = [
      render({ title: "Hi", body: "Hello Ada" }, { channel: "email" }),
      render({ title: "Hi", body: "Hello *{{data.v}}*" }, { channel: "email", data: { v: "Bob" } }),
      render({ title: "", body: "مرحبا" }, { channel: "email", profile: { locale: "ar" } }),
      render(
        elements(
          { type: "channel", channel: "email", font_size: "20px", line_height: "30px", padding: "1px", elements: [] },
          { type: "text", content: "words" }
        ),
        { channel: "email" }
      )
    ]
    for (const mail of mails) assert.isBelow(ownOf(mail).join("").length, 400)
    const silent = render({ title: "Hi", body: "" }, { channel: "email" })
    ownOf(silent)
    assert.strictEqual(new Set([...mails, silent].map(frameOf)).size, 2)
  })

  it("holds a brand's page, but for what data and profile say in it", () => {
    const own = ownOf(branded("Hi", "Hello", "the shop"))
    assert.include(own.join(""), "the shop")
    assert.include(own.join(""), "for Ada")
    assert.notInclude(own.join(""), "<h1>Tea</h1>")
    assert.notInclude(own.join(""), "&#8199;")
    assert.strictEqual(frameOf(branded("Hi", "Hello", "a")), frameOf(branded("Ho", "Hallo", "b")))
    assert.notInclude(JSON.stringify(frameOf(branded("Hi", "Hello", "the shop"))), "the shop")
  })

  it("is also that of a copy with the same html, and of no other", () => {
    const one = render({ title: "Hi", body: "Hello" }, { channel: "email" })
    const subject = Override.shown("email", one, { subject: "Ho" })
    assert.strictEqual(frameOf(subject), frameOf(one))
    assert.isUndefined(frameOf(Override.shown("email", one, { html: "<p>own</p>" })))
    const own = elements({ type: "channel", channel: "email", raw: { html: "<p>own</p>" } })
    assert.isUndefined(frameOf(render(own, { channel: "email" })))
    const raw = elements({ type: "channel", channel: "email", raw: { subject: "own" }, elements: [] })
    assert.isDefined(frameOf(render(raw, { channel: "email" })))
    assert.isUndefined(frameOf(render({ title: "Hi", body: "Hello" }, { channel: "inbox" })))
  })
})
