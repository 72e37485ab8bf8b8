import { assertQuick, elements, type Piece, render } from "#test/src/content/Rendering.ts"
import { Choices, chooser, type Chooser } from "#test/src/content/Choices.ts"
import { runsOf } from "#src/content/chat/Runs.ts"
import { slackBlocks } from "#src/content/chat/Slack.ts"
import type { Inline } from "#src/content/Inline.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const text = (content: string, more: object = {}): Piece => ({ type: "text", content, ...more })

const said = (...elements: ReadonlyArray<Schema.JsonObject>): Schema.JsonObject => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }]
})

const nativeOf = (provider: string, of: ReadonlyArray<Piece>, data: Schema.JsonObject = {}) =>
  render(elements(...of), { channel: "direct_message", provider, data }).native

const order: ReadonlyArray<Piece> = [
  { type: "meta", title: "Order {{id}}" },
  text("Hi **{{name}}**, [here](https://x.io/{{id}}) is `code` and ~~not~~ *this*"),
  text("Big", { text_style: "h2" }),
  text("small print", { text_style: "subtext" }),
  {
    type: "list",
    list_type: "ordered",
    elements: [{ type: "list-item", content: "one" }, {
      type: "list-item",
      elements: [text("two"), { type: "list", elements: [{ type: "list-item", content: "deep" }] }]
    }]
  },
  { type: "quote", content: "said" },
  { type: "divider" },
  { type: "image", src: "https://x.io/i.png", alt_text: "A pot", href: "https://x.io" },
  { type: "action", content: "Go", href: "https://x.io/a" },
  { type: "action", content: "Stay", href: "https://x.io/b" },
  { type: "html", content: "<p>mail only</p>" },
  {
    type: "columns",
    elements: [{ type: "column", elements: [text("left")] }, { type: "column", elements: [text("right")] }]
  }
]

const data = { id: 7, name: "*Ada* <!channel> [x](https://evil.io)" }

/** Everything that a value of JSON holds under a key. */
const all = (value: unknown, key: string): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.flatMap((item) => all(item, key))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => name === key ? [item, ...all(item, key)] : all(item, key))
}

const words = ["{{v}}", "a **b** {{v}}", "[l](https://x.io/{{v}})", "[l]({{v}})", "", " ", "x".repeat(200)] as const

const elementOf = ({ below, from }: Chooser, depth: number): Piece => {
  const inside = () => Array.from({ length: below(4) }, () => elementOf({ below, from }, depth - 1))
  const content = from(words)
  switch (below(depth > 0 ? 9 : 5)) {
    case 0:
      return text(content, { text_style: from(["text", "h1", "h2", "h3", "subtext"]), align: from(["left", "center"]) })
    case 1:
      return { type: "action", content, href: from(["{{v}}", "https://x.io", "/a"]), style: from(["button", "link"]) }
    case 2:
      return { type: "image", src: from(["{{v}}", "https://x.io/i.png"]), alt_text: content, href: "{{v}}" }
    case 3:
      return { type: "divider" }
    case 4:
      return text(`# ${content}\n\n- ${content}\n\n> ${content}\n\n\`\`\`\n${content}\n\`\`\``, { format: "markdown" })
    case 5:
      return { type: "list", list_type: from(["ordered", "unordered"]), elements: inside() }
    case 6:
      return { type: "list-item", elements: inside() }
    case 7:
      return { type: "columns", elements: [{ type: "column", elements: inside() }] }
    default:
      return { type: "quote", content }
  }
}

describe("Chat", () => {
  it("raw blocks of Slack: what data says is no link, mention or command, and the author's own are", () => {
    const section = {
      type: "section",
      text: { type: "mrkdwn", text: "<@{{user}}> *{{name}}* <https://x.io/?a=1&amp;n={{id}}|order>" },
      fields: [{ type: "plain_text", text: "{{name}}" }],
      accessory: { type: "button", text: { type: "plain_text", text: "Go" }, url: "https://x.io/?a={{id}}&b={{link}}" }
    }
    const { raw } = render(
      elements({ type: "channel", channel: "direct_message", raw: { slackBlocks: [section] } }),
      {
        channel: "direct_message",
        provider: "slack",
        data: { user: "U1", id: 7, link: "1&2", name: "<!channel> <@U9> & <https://evil.io|bank>" }
      }
    )
    assert.deepStrictEqual(raw?.["slackBlocks"], [{
      type: "section",
      text: {
        type: "mrkdwn",
        text:
          "<@U1> *&lt;!channel&gt; &lt;@U9&gt; &amp; &lt;https://evil.io|bank&gt;* <https://x.io/?a=1&amp;n=7|order>"
      },
      fields: [{ type: "plain_text", text: "<!channel> <@U9> & <https://evil.io|bank>" }],
      accessory: { type: "button", text: { type: "plain_text", text: "Go" }, url: "https://x.io/?a=7&b=1&2" }
    }])
  })

  it("an address that no link of a platform takes stands behind its words", () => {
    const content: ReadonlyArray<Piece> = [
      text("Ask [us](mailto:help@x.io) or [here](https://x.io), not [them](javascript:alert(1))"),
      { type: "action", content: "Call", href: "tel:+49151" },
      { type: "action", content: "Nowhere", href: "javascript:alert(1)" }
    ]
    for (const provider of ["slack", "msteams"]) {
      const said = JSON.stringify(nativeOf(provider, content))
      for (const words of ["us (mailto:help@x.io)", "Call: tel:+49151", "\"here\"", "\"them\"", "\"Nowhere\""])
        assert.include(said, words)
      assert.notInclude(said, "javascript")
    }
  })

  it("a heading that no header of Slack's can hold is said whole, with its links", () => {
    const long = "long ".repeat(40).trim()
    const content: ReadonlyArray<Piece> = [
      { type: "meta", title: long },
      text("Your [order](https://x.io/7)", { text_style: "h1" }),
      text(long, { text_style: "h2" }),
      text("small ".repeat(600).trim(), { text_style: "subtext" }),
      text("fits", { text_style: "h1" })
    ]
    const bold = { style: { bold: true } }
    const rich = (...elements: ReadonlyArray<Schema.JsonObject>) => ({
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements }]
    })
    assert.deepStrictEqual(nativeOf("slack", content), {
      slackBlocks: [
        rich({ type: "text", text: long, ...bold }),
        rich({ type: "text", text: "Your ", ...bold }, { type: "link", url: "https://x.io/7", text: "order", ...bold }),
        rich({ type: "text", text: long, ...bold }),
        rich({ type: "text", text: "small ".repeat(600).trim() }),
        { type: "header", text: { type: "plain_text", text: "fits", emoji: false } }
      ]
    })
  })

  it("Slack gets blocks, in which data is a text", () => {
    assert.deepStrictEqual(nativeOf("slack", order, data), {
      slackBlocks: [
        { type: "header", text: { type: "plain_text", text: "Order 7", emoji: false } },
        said(
          { type: "text", text: "Hi " },
          { type: "text", text: data.name, style: { bold: true } },
          { type: "text", text: ", " },
          { type: "link", url: "https://x.io/7", text: "here" },
          { type: "text", text: " is " },
          { type: "text", text: "code", style: { code: true } },
          { type: "text", text: " and " },
          { type: "text", text: "not", style: { strike: true } },
          { type: "text", text: " " },
          { type: "text", text: "this", style: { italic: true } }
        ),
        { type: "header", text: { type: "plain_text", text: "Big", emoji: false } },
        { type: "context", elements: [{ type: "plain_text", text: "small print", emoji: false }] },
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_list",
              style: "ordered",
              indent: 0,
              elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "one" }] }]
            },
            {
              type: "rich_text_list",
              style: "ordered",
              indent: 0,
              offset: 1,
              elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "two" }] }]
            },
            {
              type: "rich_text_list",
              style: "bullet",
              indent: 1,
              elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "deep" }] }]
            }
          ]
        },
        {
          type: "rich_text",
          elements: [{ type: "rich_text_quote", elements: [{ type: "text", text: "said" }] }]
        },
        { type: "divider" },
        { type: "image", image_url: "https://x.io/i.png", alt_text: "A pot" },
        said({ type: "link", url: "https://x.io", text: "A pot" }),
        {
          type: "actions",
          elements: [
            { type: "button", text: { type: "plain_text", text: "Go", emoji: false }, url: "https://x.io/a" },
            { type: "button", text: { type: "plain_text", text: "Stay", emoji: false }, url: "https://x.io/b" }
          ]
        },
        said({ type: "text", text: "left" }),
        said({ type: "text", text: "right" })
      ]
    })
  })

  it("Teams gets an adaptive card, in which data is a text", () => {
    const card = nativeOf("msteams", order, data)?.["adaptiveCard"]
    assert.deepInclude(card, { type: "AdaptiveCard", version: "1.4" })
    const [body] = all(card, "body")
    assert.deepStrictEqual(Array.isArray(body) ? body.map(({ type }) => type) : [], [
      "RichTextBlock",
      "RichTextBlock",
      "RichTextBlock",
      "RichTextBlock",
      "Container",
      "Container",
      "Image",
      "ActionSet",
      "ActionSet",
      "ColumnSet"
    ])
    assert.include(all(card, "text"), data.name)
    assert.deepStrictEqual([...new Set(all(card, "url"))], [
      "https://x.io/7",
      "https://x.io/i.png",
      "https://x.io",
      "https://x.io/a",
      "https://x.io/b"
    ])
    // No element of a card that reads markdown.
    assert.notInclude(all(card, "type"), "TextBlock")
    assert.deepInclude(all(card, "separator"), true)
  })

  it("only chat platforms that have one get a form of their own, and only for elements", () => {
    assert.isUndefined(nativeOf("discord", order, data))
    for (const body of ["b", "**b**"])
      assert.isUndefined(render({ title: "t", body }, { channel: "direct_message", provider: "slack" }).native)
    assert.isUndefined(nativeOf("slack", Array.from({ length: 60 }, () => text("a"))))
    assert.isUndefined(nativeOf("msteams", [text("a".repeat(39_000))]))
    const said = (count: number) => nativeOf("slack", Array.from({ length: count }, () => text("a".repeat(2_000))))
    assert.isDefined(said(4))
    assert.isUndefined(said(7))
    assert.isUndefined(nativeOf("slack", [{ type: "quote", content: "a".repeat(14_000) }]))
  })

  it("what is far too much for Slack is told in time linear in it", () => {
    const many = Array.from({ length: 200_000 }, () => ({ _tag: "Divider" as const, color: undefined }))
    assertQuick(() => assert.deepStrictEqual(slackBlocks("", many), []), "dividers")
  })

  it("marks within marks, however deep, are of four kinds", () => {
    const deep = Array.from({ length: 60_000 }, (_, index): ReadonlyArray<Inline> => [
      { _tag: "Open", emphasis: index % 2 === 0 ? "em" : "strong" },
      { _tag: "Text", text: "a" }
    ]).flat()
    assert.sameMembers([...runsOf([...deep, { _tag: "Code", text: "b" }]).at(-1)?.styles ?? []], [
      "em",
      "strong",
      "code"
    ])
    assertQuick(() => runsOf(deep), "marks")
  })

  it("a configuration of another name is its vendor's: for its form, for `channels` and for its own content", () => {
    const of = (...pieces: ReadonlyArray<Piece>) =>
      render(elements(...pieces), { channel: "direct_message", provider: "team-chat", providers: ["pc_1", "slack"] })
    assert.isDefined(of(text("a")).native)
    assert.strictEqual(of(text("a", { channels: ["slack"] }), text("b", { channels: ["discord"] })).body, "a")
    const parts = ["default", "slack"].map((channel) => ({ type: "channel", channel, elements: [text(channel)] }))
    assert.strictEqual(of(...parts).body, "slack")
  })

  it.effect.prop(
    "what platforms would refuse is never sent: empty texts, addresses that are none, too much of anything",
    { choices: Choices, v: Schema.String },
    ({ choices, v }) =>
      Effect.sync(() => {
        const choose = chooser(choices)
        const made = Array.from({ length: 1 + choose.below(6) }, () => elementOf(choose, 3))
        const [slack, teams] = [nativeOf("slack", made, { v }), nativeOf("msteams", made, { v })]
        const blocks = slack?.["slackBlocks"]
        if (blocks !== undefined) assert.isTrue(Array.isArray(blocks) && blocks.length > 0 && blocks.length <= 50)
        for (const native of [slack, teams]) {
          for (const said of all(native, "text")) assert.isTrue(typeof said !== "string" || said !== "")
          for (const list of [...all(native, "elements"), ...all(native, "inlines"), ...all(native, "actions")]) {
            assert.isTrue(Array.isArray(list) && list.length > 0)
          }
          for (const url of [...all(native, "url"), ...all(native, "image_url")]) assert.match(`${url}`, /^https?:\/\//)
          assert.notInclude(all(native, "type"), "mrkdwn")
        }
      })
  )
})
