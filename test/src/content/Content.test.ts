import { body, elements, failure, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Content", () => {
  it("gives each channel the parts that it sends", () => {
    const content = {
      title: "Hi {{name}}",
      body: "Your **code** is {{code}} & done",
      elements: [{ type: "action", content: "Go", href: "https://x.io/?a=1&b={{code}}" }]
    }
    const data = { "name": "Ada", "code": 7 }
    assert.deepStrictEqual(render(content, { data }), {
      title: "Hi Ada",
      subject: "",
      body: "Your code is 7 & done",
      text: "Your code is 7 & done",
      html: "",
      blocks: [],
      actions: [{ content: "Go", href: "https://x.io/?a=1&b=7" }]
    })
    const sms = render(content, { data, channel: "sms" })
    assert.deepStrictEqual([sms.title, sms.text, sms.actions], [
      "",
      "Your code is 7 & done\nGo: https://x.io/?a=1&b=7",
      []
    ])
    const email = render(content, { data, channel: "email" })
    assert.deepStrictEqual([email.title, email.subject, email.text], [
      "",
      "Hi Ada",
      "Your code is 7 & done\n\nGo: https://x.io/?a=1&b=7"
    ])
    assert.include(email.html, "<title>Hi Ada</title>")
    assert.include(email.html, ">Your <strong>code</strong> is 7 &amp; done</p>")
    assert.match(email.html, /<a href="https:\/\/x\.io\/\?a=1&amp;b=7" [^>]*>Go<\/a>/)
    assert.strictEqual(render({ title: "Only a title" }, { channel: "sms" }).text, "Only a title")
    // Of `Intl`'s own white space, one character would make the text one of 70 to a segment.
    const price = new Intl.NumberFormat("fr", { style: "currency", currency: "EUR" }).format(1234.5)
    const dear = render({ title: "t", body: "Total:\t{{price}}" }, { channel: "sms", data: { price } })
    assert.deepStrictEqual([dear.text, dear.segments], ["Total: 1 234,50 €", { count: 1, encoding: "GSM-7" }])
    assert.strictEqual(render({ title: "1\u00a0€" }, { channel: "sms" }).text, "1 €")
  })

  it.effect.prop(
    "data is left alone in text and is only text in HTML",
    { value: Schema.String },
    ({ value }) =>
      Effect.sync(() => {
        // Characters that Unicode keeps for a program's inner use are dropped.
        const kept = value.replaceAll(/[\uFDD0-\uFDEF]/g, "")
        for (const source of ["{{v}}", "*{{v}}*", "**a {{v}}**", "~~_{{v}}_~~", "{{{v}}}", "{{#if v}}{{v}}{{/if}}"]) {
          const data = { "v": value }
          const expected = source.startsWith("**a") ? `a ${kept}` : kept
          assert.strictEqual(body(source, { data }), expected)
        }
      })
  )

  it("shows elements by channel, condition, loop and reference", () => {
    const content = elements(
      { type: "meta", title: "Hidden", if: "data.no" },
      { type: "meta", title: "Order {{id}}" },
      { type: "meta", title: "Late" },
      { type: "text", content: "all", ref: "first" },
      { type: "text", content: "mail only", channels: ["email"] },
      { type: "text", content: "vendor", channels: ["sendgrid"] },
      { type: "text", content: "{{$.index}}: {{$.item.n}} of {{id}}", loop: "data.items", if: "$.item.n > 1" },
      {
        type: "group",
        loop: "items",
        elements: [{ type: "text", content: "{{$.item.n}}{{#each $.item.t}}{{this}}{{/each}}" }]
      },
      { type: "text", content: "no", if: "data.no", ref: "second" },
      {
        type: "text",
        content: "refs {{refs.first.content}} {{refs.second.visible}}",
        if: "refs.first.visible && !refs.second.visible && !refs.third"
      },
      { type: "divider" },
      { type: "quote", content: "said" },
      { type: "from-the-future", content: "skipped" },
      { type: "text", content: "{{missing}}" }
    )
    const data = { "id": 9, "no": false, "items": [{ "n": 1, "t": [] }, { "n": 2, "t": ["x", "y"] }] }
    assert.deepInclude(render(content, { data }), {
      title: "Order 9",
      body: "all\n1: 2 of 9\n1\n2xy\nrefs all false\nsaid"
    })
    const email = render(content, { data, channel: "email", provider: "sendgrid" })
    assert.include(email.text, "mail only\n\nvendor")
    assert.include(email.text, "----------\n\n> said")
    const parts = elements(
      { type: "channel", channel: "default", elements: [{ type: "text", content: "d" }] },
      { type: "channel", channel: "sms", elements: [{ type: "text", content: "s" }] }
    )
    assert.deepStrictEqual([render(parts).body, render(parts, { channel: "sms" }).body], ["d", "s"])
  })

  it("says what is wrong with content that cannot be rendered", () => {
    assert.strictEqual(failure({ body: "a {{name" }), "The template is malformed at character 3: a tag does not end")
    assert.strictEqual(
      failure(elements({ type: "text", content: { a: 1 } })),
      "The \"content\" of an element of type \"text\" is not a text"
    )
    assert.strictEqual(
      failure(elements({ type: "text", content: "a", if: "data." })),
      "Invalid condition at character 6: expected a name instead of the end"
    )
    assert.strictEqual(
      failure(elements({ type: "text", content: "a", loop: "id" }), { data: { "id": 1 } }),
      "The loop over \"id\" needs a list"
    )
  })
})
