import type { Block } from "#src/content/Block.ts"
import { Budget } from "#src/content/Budget.ts"
import { markdown } from "#src/content/Markdown.ts"
import * as Plain from "#src/content/Plain.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const letter: Plain.Way = { between: "\n\n", withActions: true, isLetter: true }
const note: Plain.Way = { between: "\n", withActions: true, isLetter: false }
const card: Plain.Way = { between: "\n", withActions: false, isLetter: false }

const read = (source: string, way: Plain.Way): string => Plain.text(markdown(source, new Budget()), way)

const action = (content: string, href: string): Block => ({
  _tag: "Action",
  content,
  href,
  align: "center",
  isLink: false,
  background: undefined
})

const image = (alt: string, href: string): Block => ({
  _tag: "Image",
  src: "https://x.io/i.png",
  alt,
  href,
  align: undefined,
  width: undefined
})

describe("Blocks as text", () => {
  it("are apart in a letter, but for the lines of an item or a quote, each of which has its mark", () => {
    const source = "a\n\nb\n\n3. c\n   d  \n   e\n\n   f\n4. g\n   - h  \n     i\n\n> j\n>\n> k  \n> l"
    assert.strictEqual(
      read(source, letter),
      "a\n\nb\n\n3. c d\n   e\n   f\n4. g\n   - h\n     i\n\n> j\n> k\n> l"
    )
    for (const way of [note, card])
      assert.strictEqual(read(source, way), "a\nb\n3. c d\n   e\n   f\n4. g\n   - h\n     i\nj\nk\nl")
    assert.strictEqual(read("9. a  \n   b\n10. c  \n    d", note), "9. a\n   b\n10. c\n    d")
  })

  it("have in an item of a list what they have outside of one", () => {
    const blocks = [action("Go", "https://x.io"), image("Alt", ""), ...markdown("> `q`", new Budget())]
    const list: Block = {
      _tag: "List",
      ordered: false,
      start: 1,
      blocks: [{ _tag: "Item", background: undefined, blocks }]
    }
    assert.deepStrictEqual([letter, note, card].map((way) => Plain.text([list], way)), [
      "- Go: https://x.io\n  Alt\n  > q",
      "- Go: https://x.io\n  q",
      "- q"
    ])
  })

  it("have the address of a link after its label, if a reader may follow it and does not see it there", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["[l](https://x.io)", "l (https://x.io)"],
      ["[https://x.io](https://x.io)", "https://x.io"],
      ["[](https://x.io)", "https://x.io"],
      ["[l](javascript:x)", "l"],
      ["![i](https://x.io/i.png)", "i"]
    ]
    for (const [source, text] of examples) assert.strictEqual(read(source, card), text)
    const inline = {
      _tag: "Image",
      src: "https://x.io/i.png",
      alt: "i",
      href: "https://x.io",
      width: undefined
    } as const
    assert.strictEqual(Plain.flow([inline]), "i (https://x.io)")
  })

  it("have actions, pictures, dividers and HTML only where the channel has room for them", () => {
    const blocks: ReadonlyArray<Block> = [
      action("Go", "https://x.io"),
      action("Stay", ""),
      action("https://x.io/b", "https://x.io/b"),
      action("Bad", "javascript:x"),
      image("i", "https://x.io/c"),
      image("", ""),
      { _tag: "Divider", color: undefined },
      { _tag: "Html", html: "<p>own</p>" },
      { _tag: "Native", json: {} },
      { _tag: "Code", text: "c" }
    ]
    const actions = ["Go: https://x.io", "Stay", "https://x.io/b", "Bad"]
    assert.deepStrictEqual(Plain.text(blocks, letter).split("\n\n"), [
      ...actions,
      "i (https://x.io/c)",
      "----------",
      "own",
      "c"
    ])
    assert.deepStrictEqual(Plain.text(blocks, note).split("\n"), [...actions, "c"])
    assert.strictEqual(Plain.text(blocks, card), "c")
  })
})

const Text = Schema.Array(
  Schema.Literals(["a", " ", "é", "\t", "\n", "\r", "\r\n", "\0", "\u001b", "\u007f", "\u0085", "\u009f", "\u00a0"])
)

describe("A text for a place that takes no control characters", () => {
  it.prop("is one line as a title, with a space for each run of them", { parts: Text }, ({ parts }) => {
    const title = parts.join("")
    assert.strictEqual(Plain.oneLine(title), title.split(/[\p{Cc}]+/u).join(" ").trim())
  })

  it("is one line for readers that end lines where Unicode does", () => {
    assert.strictEqual(Plain.oneLine("a\u2028b\u2029\u2028c"), "a b c")
  })

  it.prop("has lines as a text message, spaces for tabs and for white space like them, and none of the others", {
    parts: Text
  }, ({ parts }) => {
    const body = parts.join("")
    assert.strictEqual(
      Plain.forPhones(body),
      body.replaceAll("\t", " ").replaceAll("\u00a0", " ").replaceAll(/(?!\n)\p{Cc}/gu, "")
    )
  })

  it("has no NUL as a mail", () => {
    assert.strictEqual(Plain.withoutNul("\0a\0\n\u0001\0"), "a\n\u0001")
  })
})
