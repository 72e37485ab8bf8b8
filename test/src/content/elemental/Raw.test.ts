import { elements, failure, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

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

  it("of a mail that is all text has no page, which would be empty; beside elements, or html, it has one", () => {
    const mail = (raw: Schema.JsonObject, ...made: ReadonlyArray<Piece>) => {
      const content = elements({ type: "channel", channel: "email", raw, elements: made })
      const { html, subject, text } = render(content, { channel: "email", data: { v: "<v>" } })
      return [subject, text, html === "" ? "none" : html.includes("<p>own</p>") ? "own" : "page"]
    }
    assert.deepStrictEqual(mail({ subject: "s", text: "t {{v}}" }), ["s", "t <v>", "none"])
    assert.deepStrictEqual(mail({ subject: "s", text: "t", html: "<p>own</p>" }), ["s", "t", "own"])
    assert.deepStrictEqual(mail({ text: "t" }, { type: "text", content: "made" }), ["", "t", "page"])
    assert.deepStrictEqual(mail({ subject: "s" }), ["s", "", "page"])
  })

  it("white space that a value brings into an address does not end it", () => {
    const href = "https://x.io/?q={{q}}"
    const link = { type: "text", elements: [{ type: "link", content: "l", href: ` ${href}` }] }
    const content = elements({ type: "action", content: "a", href }, link, { type: "text", content: `[m](${href})` })
    const to = "https://x.io/?q=b%20c"
    const { text } = render(content, { channel: "sms", data: { q: "b c" } })
    assert.strictEqual(text, `a: ${to}\nl (${to})\nm (${to})`)
    const image = elements({ type: "image", src: "https://x.io/{{q}}.png", alt_text: "i", href })
    const { html } = render(image, { channel: "email", data: { q: "b c" } })
    assert.include(html, "https://x.io/b%20c.png")
    assert.include(html, to)
  })

  it("an action that leads nowhere is still one, and one that may not lead there is none", () => {
    const actions = ["", " ", "/a", "javascript:alert(1)"].map((href) => ({ type: "action", content: "Done", href }))
    assert.deepStrictEqual(render(elements(...actions)).actions.map(({ href }) => href), ["", "", "/a"])
  })

  const rawOf = (raw: Schema.JsonObject, data: Schema.JsonObject = {}) =>
    render(elements({ type: "channel", channel: "webhook", raw }), { channel: "webhook", data }).raw

  const refusal = (raw: Schema.JsonObject) =>
    failure(elements({ type: "channel", channel: "webhook", raw }), { channel: "webhook" })

  it("is escaped for Slack in the text that it parses, and nowhere beside it", () => {
    const of = (type: string) => ({
      type,
      text: "{{v}}",
      block_id: "{{v}}",
      inner: { type: "plain_text", text: "{{v}}" }
    })
    const [v, inner] = ["<!channel>", { type: "plain_text", text: "<!channel>" }]
    assert.deepStrictEqual(rawOf({ a: of("mrkdwn"), b: [of("plain_text")] }, { v }), {
      a: { type: "mrkdwn", text: "&lt;!channel&gt;", block_id: v, inner },
      b: [{ type: "plain_text", text: v, block_id: v, inner }]
    })
  })

  const blocks = (slackBlocks: Schema.Json, data: Schema.JsonObject) => rawOf({ slackBlocks }, data)?.["slackBlocks"]

  it.prop(
    "may be Slack's blocks as JSON text: data in it is what it is in blocks, ends no string and makes no block",
    {
      pieces: Schema.Array(
        Schema.Literals(["\"", "\\", "}", "},{", "<!here>", "\n", "\u2028", "u0022", "\ud800", "a", ":"])
      )
    },
    ({ pieces }) => {
      const own = [
        { type: "section", text: { type: "mrkdwn", text: "{{v}} <https://x.io|x>" }, block_id: "<{{v}}\"" },
        { type: "header", text: { type: "plain_text", text: "{{v}}\"" } }
      ]
      const data = { v: pieces.join("") }
      assert.deepStrictEqual(blocks(JSON.stringify(own), data), blocks(own, data))
    }
  )

  it("may have tags between its values, and is left out where it comes to nothing; it fails where it is no JSON", () => {
    const listed = "[{{#each all}}{\"type\": \"{{this}}\"}{{#unless @last}},{{/unless}}{{/each}}]"
    assert.deepStrictEqual(blocks(listed, { all: ["divider", "a\"b"] }), [{ type: "divider" }, { type: "a\"b" }])
    const bare = "{\"n\": {{n}}, \"yes\": {{yes}}, \"all\": {{all}}}"
    assert.deepStrictEqual(blocks(bare, { n: -1.5e3, yes: true, all: "[1]" }), { n: -1500, yes: true, all: "[1]" })
    const literals = ["true", "false", "null", "0", "-0.5", "12", "1.25", "1e9", "1E+10", "2e-11"]
    for (const v of literals) assert.deepStrictEqual(blocks("[{{v}}]", { v }), [JSON.parse(v)], v)
    for (const v of ["true ", "untrue", "01", "1.", ".5", "+1", "1e", "- 1", "nullx", "", "a\uFDDBb"])
      assert.deepStrictEqual(blocks("[{{v}}]", { v }), [v.replace("\uFDDB", "")], v)
    // A template takes one of two backslashes before a tag.
    assert.deepStrictEqual(blocks("[\"C:\\\\{{v}}\"]", { v: "n\"" }), ["C:\\n\""])
    assert.isUndefined(blocks("{{#if no}}[]{{/if}}", {}))
    assert.match(refusal({ slackBlocks: "[{" }), /^The text of slackBlocks is no JSON/)
    assert.match(refusal({ slackBlocks: "[".repeat(33) + "]".repeat(33) }), /nested more than 32 deep/)
  })

  it("says how it is transformed, which is no part of it; one transformer that is unknown is too many", () => {
    assert.deepStrictEqual(rawOf({ a: 1, transformers: ["handlebars"] }), { a: 1 })
    for (const transformers of [["liquid"], ["handlebars", "liquid"], ["handlebars", 1]])
      assert.match(refusal({ a: 1, transformers }), /^Raw content can only be transformed/)
  })

  it("is nested 32 deep at most, and costs a step for each of its values", () => {
    const nest = (depth: number, wrap: (inner: Schema.Json) => Schema.Json): Schema.Json =>
      Array.from({ length: depth }).reduce<Schema.Json>((inner) => wrap(inner), [])
    for (const wrap of [(inner: Schema.Json) => [inner], (inner: Schema.Json) => ({ a: inner })]) {
      assert.strictEqual(refusal({ a: nest(32, wrap) }), "rendered")
      assert.strictEqual(refusal({ a: nest(33, wrap) }), "Raw content is nested more than 32 deep")
    }
    assert.strictEqual(refusal({ a: Array.from({ length: 49_000 }, () => 1) }), "rendered")
    assert.match(refusal({ a: Array.from({ length: 50_001 }, () => 1) }), /more than 50000 steps/)
  })
})
