import { type Align, type Block, paragraph, type Style } from "#src/content/Block.ts"
import { adaptiveCard } from "#src/content/chat/AdaptiveCard.ts"
import { webAddress } from "#src/content/chat/Address.ts"
import { runsOf } from "#src/content/chat/Runs.ts"
import { slackBlocks } from "#src/content/chat/Slack.ts"
import { Budget } from "#src/content/Budget.ts"
import { inline } from "#src/content/Inline.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

const said = (text: string, style: Style = "text"): Block => paragraph([{ _tag: "Text", text }], style)

const button = (content: string, href = "https://x.io"): Block => ({
  _tag: "Action",
  content,
  href,
  align: "center",
  isLink: false,
  background: undefined
})

const image = (alt: string, src = "https://x.io/i.png"): Block => ({
  _tag: "Image",
  src,
  href: "",
  alt,
  align: undefined,
  width: undefined
})

const times = <A>(count: number, one: A): ReadonlyArray<A> => Array.from({ length: count }, () => one)

const typesOf = (...blocks: ReadonlyArray<Block>) => slackBlocks("", blocks).map(({ type }) => type)

describe("What Slack takes", () => {
  it("a header of 150 characters and small print of 3,000; what is longer is said as text", () => {
    for (const [style, most, type] of [["h1", 150, "header"], ["subtext", 3_000, "context"]] as const) {
      assert.deepStrictEqual(typesOf(said("x".repeat(most), style)), [type])
      assert.deepStrictEqual(typesOf(said("x".repeat(most + 1), style)), ["rich_text"])
    }
  })

  it("75 characters on a button and 2,000 for an image, then an ellipsis, and no half of a character", () => {
    const label = (content: string) => slackBlocks("", [button(content)])[0]?.["elements"]
    const on = (
      text: string
    ) => [{ type: "button", text: { type: "plain_text", text, emoji: false }, url: "https://x.io" }]
    assert.deepStrictEqual(label("x".repeat(75)), on("x".repeat(75)))
    assert.deepStrictEqual(label("x".repeat(76)), on(`${"x".repeat(74)}…`))
    assert.deepStrictEqual(label(`${"x".repeat(73)}😀😀`), on(`${"x".repeat(73)}…`))
    const alt = (text: string) => slackBlocks("", [image(text)])[0]?.["alt_text"]
    assert.deepStrictEqual(["x".repeat(2_000), "x".repeat(2_001), ""].map(alt), [
      "x".repeat(2_000),
      `${"x".repeat(1_999)}…`,
      "image"
    ])
  })

  it("no small heading and no small print with a link: these are text", () => {
    const link = paragraph([{ _tag: "Link", text: "here", href: "https://x.io" }], "subtext")
    const inside = (block: Block) => slackBlocks("", [block]).map(({ elements }) => elements)
    const text = (
      element: Schema.JsonObject
    ): Array<Schema.Json> => [[{ type: "rich_text_section", elements: [element] }]]
    assert.deepStrictEqual(inside(said("small", "h3")), text({ type: "text", text: "small", style: { bold: true } }))
    assert.deepStrictEqual(inside(link), text({ type: "link", url: "https://x.io", text: "here" }))
  })

  it("50 blocks, and 10,000 characters in all", () => {
    assert.lengthOf(typesOf(...times(50, said("x"))), 50)
    assert.lengthOf(typesOf(...times(51, said("x"))), 0)
    assert.lengthOf(typesOf(...times(4, said("x".repeat(2_500)))), 4)
    assert.lengthOf(typesOf(...times(4, said("x".repeat(2_500))), said("y")), 0)
    // What the author made for Slack has no text in its place: Slack itself is to judge it.
    const native: Block = {
      _tag: "Native",
      json: { type: "section", text: { type: "mrkdwn", text: "x".repeat(10_001) } }
    }
    assert.deepStrictEqual(typesOf(native), ["section"])
  })

  it("25 buttons side by side", () => {
    const rows = (count: number) =>
      slackBlocks("", times(count, button("Go"))).map(({ elements }) => Array.isArray(elements) ? elements.length : 0)
    assert.deepStrictEqual([25, 26].map(rows), [[25], [25, 1]])
  })

  it("a list goes on counting where it was, and is set in at most eight times", () => {
    const list = (depth: number): Block => ({
      _tag: "List",
      ordered: true,
      start: 3,
      blocks: [said("a"), {
        _tag: "Item",
        background: undefined,
        blocks: [said("b"), ...(depth > 0 ? [list(depth - 1)] : [])]
      }]
    })
    const [first, second, ...inner] = [slackBlocks("", [list(9)])[0]?.["elements"]].flatMap((all) =>
      Array.isArray(all) ? all : []
    )
    assert.deepInclude(first, { style: "ordered", indent: 0, offset: 2 })
    assert.deepInclude(second, { style: "ordered", indent: 0, offset: 3 })
    assert.deepStrictEqual(inner.map(({ indent }) => indent), [1, 2, 3, 4, 5, 6, 7, 8, 8].flatMap((at) => [at, at]))
  })
})

describe("What Teams takes", () => {
  it("a card of 39,000 characters", () => {
    const cardOf = (length: number) => adaptiveCard("", [said("x".repeat(length))])
    const around = JSON.stringify(cardOf(1)).length - 1
    assert.lengthOf(JSON.stringify(cardOf(39_000 - around)), 39_000)
    assert.isUndefined(cardOf(39_001 - around))
  })

  it("a line above just what follows a divider, however much of that says nothing", () => {
    const divider: Block = { _tag: "Divider", color: undefined }
    const body = adaptiveCard("", [said("a"), divider, said(" "), said("b"), said("c"), divider])?.["body"]
    assert.deepStrictEqual(
      [body].flatMap((items) => Array.isArray(items) ? items : []).map(({ separator }) => separator),
      [undefined, true, undefined]
    )
  })
})

describe("What a card for Teams says", () => {
  const bodyOf = (...blocks: ReadonlyArray<Block>): Schema.Json => adaptiveCard("", blocks)?.["body"] ?? null

  it("stands where its author wants it, if that is not where it stands anyway; what says nothing is left out", () => {
    const rich = (text: string, more = {}): Schema.Json => ({
      type: "RichTextBlock",
      ...more,
      inlines: [{ type: "TextRun", text }]
    })
    const at = (align: Align | undefined) => bodyOf(paragraph([{ _tag: "Text", text: "a" }], "text", align))
    for (const align of [undefined, "left", "full"] as const) assert.deepStrictEqual(at(align), [rich("a")], align)
    assert.deepStrictEqual(at("right"), [rich("a", { horizontalAlignment: "Right" })])
    assert.deepStrictEqual(bodyOf(said(" \n"), said("a")), [rich("a")])
  })

  it("counts a list from where it starts, and says the words of an image that no card can show", () => {
    const list: Block = { _tag: "List", ordered: true, start: 3, blocks: [said("a"), said("b")] }
    assert.deepStrictEqual(
      bodyOf(list, image("A pot", "cid:pot")),
      [
        {
          type: "Container",
          items: ["3", "4"].map((mark, at) => ({
            type: "RichTextBlock",
            inlines: [{ type: "TextRun", text: `  ${mark}. ` }, { type: "TextRun", text: at === 0 ? "a" : "b" }]
          }))
        },
        { type: "RichTextBlock", inlines: [{ type: "TextRun", text: "A pot" }] }
      ]
    )
  })

  it("is underlined where its author says so", () => {
    const u = { emphasis: "u" } as const
    const run = { type: "TextRun", text: "a", underline: true }
    assert.deepStrictEqual(
      bodyOf(paragraph([{ _tag: "Open", ...u }, { _tag: "Text", text: "a" }, { _tag: "Close", ...u }])),
      [{ type: "RichTextBlock", inlines: [run] }]
    )
  })
})

describe("Addresses in chats", () => {
  it("are whole ones of the web, of at most 3,000 characters: with any other a platform would refuse the message", () => {
    const long = `https://x.io/${"a".repeat(2_987)}`
    assert.deepStrictEqual(["https://x.io/?a=b#c", " HTTP://x.io ", long].map((href) => webAddress(href)), [
      "https://x.io/?a=b#c",
      "HTTP://x.io",
      long
    ])
    for (const href of [`${long}a`, "https://", "https://x y.io", "http://[", "/a", "x.io", "mailto:a@x.io", "ftp://x"])
      assert.isUndefined(webAddress(href), href)
  })

  it("those of apps stand behind their words, and those that run code stand nowhere", () => {
    const link = (href: string) => paragraph([{ _tag: "Link", text: "l", href }])
    for (const shown of [slackBlocks, adaptiveCard]) {
      const said = (...of: ReadonlyArray<Block>) => JSON.stringify(shown("", of))
      assert.include(said(link("myapp://orders/1")), "\"l (myapp://orders/1)\"")
      assert.include(said(button("Go", "whatsapp://send?n=7")), "\"Go: whatsapp://send?n=7\"")
      const unsafe = said(link("javascript://%0aalert(1)"), button("Go", "chrome://settings"))
      assert.include(unsafe, "\"l\"")
      assert.include(unsafe, "\"Go\"")
      assert.notMatch(unsafe, /javascript|chrome/)
    }
  })

  it("a link's label keeps its emphasis, within that around it, and its images are their words", () => {
    const runs = (source: string) =>
      runsOf(inline(source, new Budget())).map(({ href, styles, text }) => [text, [...styles].join(" "), href])
    assert.deepStrictEqual(runs("*[**a** b `c`](https://x.io)*"), [
      ["a", "em strong", "https://x.io"],
      [" b ", "em", "https://x.io"],
      ["c", "em code", "https://x.io"]
    ])
    assert.deepStrictEqual(runs("[![a](/i.png) b](https://x.io)[![](/i.png) ](/y)"), [
      ["a", "", "https://x.io"],
      [" b", "", "https://x.io"],
      ["  (/y)", "", undefined]
    ])
    assert.deepStrictEqual(runs("[![](/i.png)![](/i.png)](https://x.io)"), [["https://x.io", "", "https://x.io"]])
    assert.deepStrictEqual(runs("[**a** b](mailto:a@x.io)"), [["a b (mailto:a@x.io)", "", undefined]])
  })

  it("a link without words says where it leads", () => {
    const [run] = runsOf([{ _tag: "Link", text: "", href: "https://x.io" }])
    assert.deepInclude(run, { text: "https://x.io", href: "https://x.io" })
  })
})
