import type { Block } from "#src/content/Block.ts"
import { Budget } from "#src/content/Budget.ts"
import { adaptiveCard } from "#src/content/chat/AdaptiveCard.ts"
import { slackBlocks } from "#src/content/chat/Slack.ts"
import { markdown } from "#src/content/Markdown.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

const blocks = (source: string): ReadonlyArray<Block> => markdown(source, new Budget())

const action = (content: string, more: Partial<Block & { readonly _tag: "Action" }> = {}): Block => ({
  _tag: "Action",
  content,
  href: "https://x.io",
  align: "center",
  isLink: false,
  background: undefined,
  ...more
})

const columns: Block = {
  _tag: "Columns",
  blocks: [{ _tag: "Column", width: undefined, blocks: blocks("a\n\nb") }, ...blocks("c")]
}

const card = (...of: ReadonlyArray<Block>): Schema.Json | undefined => adaptiveCard("", of)?.["body"]

/** A paragraph of a card, and of Slack. */
const run = (text: string, more: object = {}) => ({ type: "TextRun", text, ...more })
const said = (...inlines: ReadonlyArray<Schema.Json>) => ({ type: "RichTextBlock", inlines })
const text = (text: string, more: object = {}) => ({ type: "text", text, ...more })
const rich = (...elements: ReadonlyArray<Schema.Json>) => ({ type: "rich_text", elements })
const section = (...elements: ReadonlyArray<Schema.Json>) => ({ type: "rich_text_section", elements })
const items = (style: string, indent: number, ...texts: ReadonlyArray<Schema.Json>) => ({
  type: "rich_text_list",
  style,
  indent,
  elements: [section(...texts)]
})

describe("What an author may say, in the form of each chat platform", () => {
  it("each mark is a style of its words alone", () => {
    const marks: ReadonlyArray<readonly [string, object, object]> = [
      ["**", { weight: "Bolder" }, { bold: true }],
      ["*", { italic: true }, { italic: true }],
      ["~~", { strikethrough: true }, { strike: true }],
      ["`", { fontType: "Monospace" }, { code: true }]
    ]
    for (const [mark, teams, slack] of marks) {
      const source = blocks(`a ${mark}b${mark} c`)
      assert.deepStrictEqual(card(...source), [said(run("a "), run("b", teams), run(" c"))], mark)
      assert.deepStrictEqual(slackBlocks("", source), [
        rich(section(text("a "), text("b", { style: slack }), text(" c")))
      ], mark)
    }
  })

  it("lists are counted or have dots, further in within each other, with all that an item says", () => {
    const source = blocks("3. a\n\n   b\n4. c\n   - d\n     - e\n   ```\n   f\n   ```\n\n- g")
    assert.deepStrictEqual(card(...source), [
      {
        type: "Container",
        items: [
          said(run("  3. "), run("a")),
          said(run("b")),
          said(run("  4. "), run("c")),
          {
            type: "Container",
            items: [
              said(run("      • "), run("d")),
              { type: "Container", items: [said(run("          • "), run("e"))] }
            ]
          },
          { type: "Container", style: "emphasis", items: [said(run("f", { fontType: "Monospace" }))] }
        ]
      },
      { type: "Container", items: [said(run("  • "), run("g"))] }
    ])
    assert.deepStrictEqual(slackBlocks("", source), [
      rich(
        { ...items("ordered", 0, text("a"), text("\n"), text("b")), offset: 2 },
        { ...items("ordered", 0, text("c")), offset: 3 },
        items("bullet", 1, text("d")),
        items("bullet", 2, text("e"))
      ),
      rich({ type: "rich_text_preformatted", elements: [text("f")] }),
      rich(items("bullet", 0, text("g")))
    ])
  })

  it("quotes and code are set apart, and columns stand side by side where a platform has any", () => {
    const source = [...blocks("> a\n>\n> b\n>\n> > c\n\n```\nd\n```"), columns]
    assert.deepStrictEqual(card(...source), [
      {
        type: "Container",
        style: "emphasis",
        items: [said(run("a")), said(run("b")), { type: "Container", style: "emphasis", items: [said(run("c"))] }]
      },
      { type: "Container", style: "emphasis", items: [said(run("d", { fontType: "Monospace" }))] },
      {
        type: "ColumnSet",
        columns: [
          { type: "Column", width: "stretch", items: [said(run("a")), said(run("b"))] },
          { type: "Column", width: "stretch", items: [said(run("c"))] }
        ]
      }
    ])
    assert.deepStrictEqual(slackBlocks("", source), [
      rich({ type: "rich_text_quote", elements: [text("a"), text("\n"), text("b")] }),
      rich({ type: "rich_text_quote", elements: [text("c")] }),
      rich({ type: "rich_text_preformatted", elements: [text("d")] }),
      ...["a", "b", "c"].map((word) => rich(section(text(word))))
    ])
  })

  it("an action is a button, or a link if its author wants one", () => {
    const source = [action("a"), action("b", { isLink: true, align: "right" })]
    const open = { type: "Action.OpenUrl", url: "https://x.io" }
    assert.deepStrictEqual(card(...source), [
      { type: "ActionSet", horizontalAlignment: "Center", actions: [{ ...open, title: "a" }] },
      { ...said(run("b", { color: "Accent", selectAction: open })), horizontalAlignment: "Right" }
    ])
    assert.deepStrictEqual(slackBlocks("", source), [
      {
        type: "actions",
        elements: [
          { type: "button", text: { type: "plain_text", text: "a", emoji: false }, url: "https://x.io" }
        ]
      },
      rich(section({ type: "link", url: "https://x.io", text: "b" }))
    ])
  })
})
