import { elements, failure, render, text } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

describe("What is for one channel", () => {
  it("what is for a provider goes before what is for its channel, and that before the default, in whatever order they stand", () => {
    const part = (channel: string) => ({
      type: "channel",
      channel,
      elements: [{ type: "text", content: `for ${channel}` }]
    })
    const parts = [part("default"), part("sms"), part("twilio")]
    for (const all of [parts, parts.toReversed()]) {
      const said = (channel: string, provider: string) => render(elements(...all), { channel, provider }).text
      assert.deepStrictEqual([said("sms", "twilio"), said("sms", "vonage"), said("push", "apn")], [
        "for twilio",
        "for sms",
        "for default"
      ])
    }
  })

  it("what is for one channel is seen only there", () => {
    const content = elements(
      { type: "comment", comment: "secret" },
      { type: "html", content: "<p>only <b>mail</b></p>" },
      { type: "image", src: "https://x.io/a.png", alt_text: "a cat", href: "https://x.io" },
      { type: "channel-like", content: "secret" }
    )
    const email = render(content, { channel: "email" })
    assert.notInclude(JSON.stringify(email), "secret")
    assert.strictEqual(email.text, "only mail\n\na cat (https://x.io)")
    assert.include(email.html, "<p>only <b>mail</b></p>")
    for (const channel of ["sms", "push", "inbox", "direct_message", "webhook"])
      assert.strictEqual(render(content, { channel }).body, "")
    assert.deepStrictEqual(
      render(elements(text("hi"), { type: "action", content: "Go", href: "https://x.io" }), {
        channel: "direct_message"
      }).blocks,
      [{ type: "text", text: "hi" }, { type: "action", text: "Go: https://x.io" }]
    )
  })

  it("of several channel elements for one place the first that is shown speaks, its raw too, in the reader's language", () => {
    const raw = (subject: string) => ({ subject, html: `<p>${subject}</p>` })
    const content = elements(
      { type: "channel", channel: "email", if: "data.plan == 'a'", raw: raw("A") },
      {
        type: "channel",
        channel: "email",
        if: "data.plan == 'b'",
        elements: [{ type: "meta", title: "B" }, text("b")]
      },
      {
        type: "channel",
        channel: "email",
        if: "data.plan == 'c'",
        raw: raw("C"),
        locales: { de: { raw: raw("C-de") } }
      },
      { type: "channel", channel: "default", elements: [text("d")] }
    )
    const seen = (plan: string, locale: string | null = null) => {
      const { subject, text } = render(content, { channel: "email", data: { plan }, profile: { locale } })
      return [subject, text]
    }
    assert.deepStrictEqual(seen("a"), ["A", "A"])
    assert.deepStrictEqual(seen("b"), ["B", "b"])
    assert.deepStrictEqual(seen("c"), ["C", "C"])
    assert.deepStrictEqual(seen("c", "de-AT"), ["C-de", "C-de"])
    // What is not shown stays unsaid, and what is for other channels is not said in its place.
    assert.deepStrictEqual(seen("none"), ["", ""])
  })

  it("a channel's own form breaks no header and no phone: titles are one line, texts without controls, mails without NUL", () => {
    const said = "a{{v}}z"
    const raw = { subject: said, title: said, text: said, html: `<p>${said}</p>` }
    const data = { v: "\u0000\r\nBcc: x\u0007\u2028" }
    const of = (channel: string) => render(elements({ type: "channel", channel, raw }), { channel, data })
    const mail = of("email")
    assert.strictEqual(mail.subject, "a Bcc: x z")
    assert.notInclude(mail.text + mail.html, "\u0000")
    assert.strictEqual(of("push").title, "a Bcc: x z")
    assert.notMatch(of("sms").text, /[\u0000-\u0009\u000b-\u001f]/)
  })

  it("raw content nested deeper than elements may be fails its message", () => {
    const nest = (depth: number): Schema.Json => depth === 0 ? "{{v}}" : [{ a: nest(depth - 1) }]
    const of = (depth: number) =>
      failure(elements({ type: "channel", channel: "webhook", raw: { payload: nest(depth) } }), { channel: "webhook" })
    assert.strictEqual(of(15), "rendered")
    assert.strictEqual(of(17), "Raw content is nested more than 32 deep")
  })

  it("a channel's own content: elements, or raw in the channel's form", () => {
    const content = elements(
      {
        type: "channel",
        channel: "email",
        raw: {
          subject: "S {{v}}\n",
          html: "<p title=\"{{v}}\">{{v}}</p><a href=\"https://x.io\">l</a>",
          transformers: ["handlebars"]
        }
      },
      {
        type: "channel",
        channel: "webhook",
        elements: [text("w")],
        raw: { payload: { body: "{{v}}", list: [1, "{{n}}"], deep: { t: true } } }
      },
      { type: "channel", channel: "sms", if: "data.n == 2", elements: [text("s", { loop: "list" })] },
      {
        type: "channel",
        channel: "default",
        elements: [text("d"), { type: "channel", channel: "x", elements: [text("nested")] }]
      }
    )
    const data = { v: "<b>&", n: 1, list: [1, 2] }
    const email = render(content, { channel: "email", data })
    assert.deepStrictEqual([email.subject, email.html, email.text], [
      "S <b>&",
      "<p title=\"&lt;b&gt;&amp;\">&lt;b&gt;&amp;</p><a href=\"https://x.io\">l</a>",
      "<b>&\n\nl (https://x.io)"
    ])
    const webhook = render(content, { channel: "webhook", data })
    assert.deepStrictEqual(webhook.raw, { payload: { body: "<b>&", list: [1, "1"], deep: { t: true } } })
    assert.strictEqual(webhook.body, "w")
    assert.strictEqual(render(content, { channel: "sms", data }).body, "")
    assert.strictEqual(render(content, { channel: "sms", data: { ...data, n: 2 } }).body, "s\ns")
    assert.strictEqual(render(content, { channel: "push", data }).body, "d")
    assert.match(
      failure(elements({ type: "channel", channel: "email", raw: { html: "<mjml>", transformers: ["liquid"] } }), {
        channel: "email"
      }),
      /only be transformed by handlebars and mjml/
    )
    assert.include(
      render(
        elements({ type: "channel", channel: "email", font_size: "18px", padding: "1px;x:y", elements: [text("a")] }),
        { channel: "email" }
      ).html,
      "font-size:18px"
    )
  })
})
