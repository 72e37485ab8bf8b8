import type { Align, Block } from "#src/content/Block.ts"
import { paragraph } from "#src/content/Block.ts"
import { Budget } from "#src/content/Budget.ts"
import { rows } from "#src/content/html/Blocks.ts"
import { flow } from "#src/content/html/Flow.ts"
import { colors } from "#src/content/html/Styles.ts"
import { inline, type Inline } from "#src/content/Inline.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, describe, it } from "@effect/vitest"

interface Part {
  readonly name: string
  readonly of: Readonly<Record<string, string>>
  readonly style: Readonly<Record<string, string>>
}

const partsOf = (html: string): ReadonlyArray<Part> =>
  dom(html).elements.map(({ attributes, name }) => {
    const { style = "", ...of } = Object.fromEntries(attributes)
    const styles = style.split(";").filter((one) => one !== "").map((one) => one.split(":"))
    return { name, of, style: Object.fromEntries(styles.map(([key = "", ...value]) => [key, value.join(":")])) }
  })

/** The parts of these names that blocks below each other have, without the rows that they stand in. */
const parts = (blocks: ReadonlyArray<Block>, ...names: ReadonlyArray<string>): ReadonlyArray<Part> =>
  partsOf(rows(blocks)).filter(({ name }) => names.includes(name))

const text = (said: string): ReadonlyArray<Inline> => [{ _tag: "Text", text: said }]

const action: Extract<Block, { readonly _tag: "Action" }> = {
  _tag: "Action",
  content: "<Go>",
  href: "https://x.io/?a=1&b=\"2\"",
  align: "center",
  isLink: false,
  background: undefined
}

const image = (more: Partial<Extract<Block, { readonly _tag: "Image" }>> = {}): Block => ({
  _tag: "Image",
  src: "https://x.io/i.png",
  alt: "An <i>",
  href: "",
  align: undefined,
  width: undefined,
  ...more
})

/** The attributes of the cells of a page's own rows, in their order. */
const cells = (blocks: ReadonlyArray<Block>) =>
  [...rows(blocks).matchAll(/^<tr><td(?: align="(\w+)")? style="padding:0 0 (\d+)px">/gm)].map(([, align, gap]) =>
    [align, gap] as const
  )

describe("Blocks as HTML", () => {
  it("a paragraph has the element of its style, and stands where it is told to", () => {
    const seen = (["text", "subtext", "h1", "h2", "h3"] as const).map((style) => {
      const [part] = parts([paragraph(text("a"), style, "right")], "p", "h1", "h2", "h3")
      return [part?.name, part?.of["class"], part?.style["font-size"], part?.style["text-align"]]
    })
    assert.deepStrictEqual(seen, [
      ["p", undefined, undefined, "right"],
      ["p", "sub", "14px", "right"],
      ["h1", undefined, "26px", "right"],
      ["h2", undefined, "21px", "right"],
      ["h3", undefined, "17px", "right"]
    ])
    for (const align of ["full", undefined] as const)
      assert.isUndefined(parts([paragraph(text("a"), "text", align)], "p")[0]?.style["text-align"])
  })

  it("a quote has an edge of its own color, or of one that follows the reader's screen", () => {
    const quote = (border: string | undefined): Part | undefined =>
      parts([{ _tag: "Quote", style: "h2", align: "center", border, blocks: [paragraph(text("a"))] }], "td")[1]
    assert.deepInclude(quote(undefined)?.of, { class: "rule" })
    assert.strictEqual(quote(undefined)?.style["border-left"], "4px solid #d1d5db")
    assert.notProperty(quote("red")?.of, "class")
    assert.deepInclude(quote("red")?.style, {
      "border-left": "4px solid red",
      "text-align": "center",
      "font-size": "21px"
    })
  })

  it("an action is a button that can be read, as wide as it is told to be", () => {
    const button = (more: Partial<typeof action>) => {
      const [, , of, cell, link] = parts([{ ...action, ...more }], "table", "td", "a")
      return { of, cell, link }
    }
    const own = button({})
    assert.deepStrictEqual([own.link?.of["href"], own.link?.style["display"], own.link?.style["color"]], [
      action.href,
      "inline-block",
      "#ffffff"
    ])
    assert.strictEqual(dom(rows([action])).text.trim(), "<Go>")
    assert.deepStrictEqual([own.cell?.of["bgcolor"], own.cell?.style["background-color"]], [
      colors.button,
      colors.button
    ])
    assert.notProperty(own.of?.of, "width")
    const full = button({ align: "full", background: "yellow" })
    assert.deepStrictEqual([full.of?.of["width"], full.link?.style["display"]], ["100%", "block"])
    assert.deepStrictEqual([full.cell?.of["bgcolor"], full.cell?.style["background-color"]], ["yellow", "yellow"])
    assert.strictEqual(full.link?.style["color"], "#111827")
  })

  it("an action is a line of text as a link, and no link where nobody may follow it", () => {
    const [line, link] = parts([{ ...action, align: "right", isLink: true }], "p", "a")
    assert.strictEqual(line?.style["text-align"], "right")
    assert.deepInclude(link, { name: "a", of: { class: "link", href: action.href } })
    assert.deepInclude(link?.style, { "color": colors.link, "font-weight": "600" })
    const bad: Block = { ...action, href: "javascript:x" }
    assert.isEmpty(parts([bad], "a"))
    assert.strictEqual(dom(rows([bad, { ...action, isLink: true }])).text.replaceAll(/\s+/g, ""), "<Go><Go>")
  })

  it("a list counts from where it is told to; an item may have a color, and begins without a gap", () => {
    const list = (ordered: boolean, start: number, ...blocks: ReadonlyArray<Block>): Block => (
      { _tag: "List", ordered, start, blocks }
    )
    const item: Block = { _tag: "Item", background: "red", blocks: [paragraph(text("a")), paragraph(text("b"))] }
    assert.deepStrictEqual(
      parts([list(true, 1, item), list(true, 3, item), list(false, 1, item)], "ol", "ul").map(({ name, of }) =>
        [name, of["start"]] as const
      ),
      [["ol", undefined], ["ol", "3"], ["ul", undefined]]
    )
    const items = (...blocks: ReadonlyArray<Block>) =>
      /<ul[^>]*>(.*)<\/ul>/.exec(rows([list(false, 1, ...blocks)]))?.[1]?.replaceAll(/ style="[^"]*"/g, "")
    assert.strictEqual(items(item), "<li>a<div><p>b</p></div></li>")
    assert.strictEqual(items(paragraph(text("a"))), "<li>a</li>")
    assert.strictEqual(items(paragraph(text("a"), "h1")), "<li><div><h1>a</h1></div></li>")
    assert.strictEqual(items(paragraph(text("a"), "text", "right")), "<li><div><p>a</p></div></li>")
    const quote = { _tag: "Quote", style: "text", align: undefined, border: undefined, blocks: [action] } as const
    assert.match(items(quote) ?? "", /^<li><div><table/)
    assert.deepStrictEqual(
      parts([list(false, 1, item, paragraph(text("a")))], "li").map(({ style }) => style["background-color"]),
      ["red", undefined]
    )
    const [first, second] = parts([list(false, 1, { ...item, blocks: [action, action] })], "div")
    assert.deepStrictEqual([first?.style["margin"], second?.style["margin"]], ["0", "8px 0 0"])
  })

  it("columns share the width that is not told, and have gaps between them only", () => {
    const column = (width?: string): Block => ({ _tag: "Column", width, blocks: [paragraph(text("a"))] })
    const seen = (...blocks: ReadonlyArray<Block>) =>
      parts([{ _tag: "Columns", blocks }], "td").filter(({ of }) => of["class"] === "col")
        .map(({ of, style }) => [of["width"], style["width"], style["padding"]] as const)
    assert.deepStrictEqual(seen(column(), column("120px"), column("30%")), [
      ["35%", "35%", "0 8px 0 0px"],
      ["120", "120px", "0 8px 0 8px"],
      ["30%", "30%", "0 0px 0 8px"]
    ])
    assert.deepStrictEqual(
      seen(...Array.from({ length: 6 }, () => column())).map(([width]) => width),
      Array(6).fill("16%")
    )
    const widths = (...told: ReadonlyArray<string | undefined>) => seen(...told.map(column)).map(([width]) => width)
    assert.deepStrictEqual(widths("60%", undefined, undefined), ["60%", "20%", "20%"])
    assert.deepStrictEqual(widths("60%", "60%", undefined), ["60%", "60%", "1%"])
    assert.deepStrictEqual(seen(paragraph(text("b"))), [["100%", "100%", "0 0px 0 0px"]])
    assert.deepStrictEqual(seen(), [])
    const two: Block = { _tag: "Column", width: undefined, blocks: [paragraph(text("a")), paragraph(text("b"))] }
    assert.lengthOf(cells([{ _tag: "Columns", blocks: [two] }]), 3)
  })

  it("a divider follows the reader's screen unless it has a color of its own, and code is text", () => {
    const [ours, own] = parts([{ _tag: "Divider", color: undefined }, { _tag: "Divider", color: "red" }], "hr")
    assert.deepStrictEqual([ours?.of["class"], ours?.style["border-top"]], ["rule", `1px solid ${colors.rule}`])
    assert.deepStrictEqual([own?.of["class"], own?.style["border-top"]], [undefined, "1px solid red"])
    assert.include(rows([{ _tag: "Code", text: "<b>\n  &" }]), ">&lt;b&gt;\n  &amp;</pre>")
  })

  it("have gaps below them, and stand where buttons and pictures are told to; what is empty has no room", () => {
    const blocks: ReadonlyArray<Block> = [
      paragraph(text("a"), "text", "right"),
      paragraph(text("a"), "h1"),
      paragraph(text("a"), "h2"),
      paragraph(text("a"), "h3"),
      { _tag: "Columns", blocks: [] },
      ...(["left", "full"] satisfies ReadonlyArray<Align>).flatMap((align) => [{ ...action, align }, image({ align })]),
      image(),
      paragraph([]),
      paragraph(text("")),
      paragraph([...text(""), { _tag: "Code", text: "" }])
    ]
    assert.deepStrictEqual(cells(blocks), [
      [undefined, "16"],
      [undefined, "16"],
      [undefined, "8"],
      [undefined, "8"],
      [undefined, "0"],
      ["left", "16"],
      ["left", "16"],
      [undefined, "16"],
      [undefined, "16"],
      [undefined, "16"],
      [undefined, "16"]
    ])
  })
})

describe("A picture in HTML", () => {
  const shown = (block: Block) => parts([block], "a", "img")

  it("is as wide as it is told to be, and no wider than its place", () => {
    const seen = (...of: ReadonlyArray<Block>) =>
      of.flatMap(shown).map(({ of, style }) =>
        [of["width"], style["width"], style["max-width"], style["display"]] as const
      )
    assert.deepStrictEqual(
      seen(image(), image({ width: "99.5px" }), image({ width: "50%" }), image({ width: "9px", align: "full" })),
      [
        [undefined, undefined, "100%", "inline-block"],
        ["100", undefined, "100%", "inline-block"],
        [undefined, "50%", "100%", "inline-block"],
        [undefined, "100%", "100%", "inline-block"]
      ]
    )
    const inline = flow([{ _tag: "Image", src: "/i", alt: "", href: "", width: "20px" }])
    assert.deepStrictEqual(
      partsOf(inline).filter(({ name }) => name === "img").map(({ of, style }) => [of["width"], style["display"]]),
      [["20", "inline"]]
    )
  })

  it("leads where a reader may go, is what it says where it may not be shown, and may be attached to the mail", () => {
    const href = "https://x.io/?a=1&b=\"2\""
    const [link, picture] = shown(image({ href, src: "https://x.io/?i=\"1\"&j=2", alt: "\"<i>\" &amp;" }))
    assert.deepStrictEqual([link?.of["href"], link?.style["text-decoration"]], [href, "none"])
    assert.deepStrictEqual(picture?.of, { src: "https://x.io/?i=\"1\"&j=2", alt: "\"<i>\" &amp;" })
    assert.deepStrictEqual(shown(image({ href: "javascript:x" })).map(({ name }) => name), ["img"])
    assert.strictEqual(shown(image({ src: "cid:logo" }))[0]?.of["src"], "cid:logo")
    for (const src of ["", "javascript:x", "data:image/png,x", "mailto:a@b.c"]) {
      assert.isEmpty(shown(image({ src, href })))
      assert.strictEqual(dom(rows([image({ src })])).text.trim(), "An <i>")
    }
    const inline = flow([{ _tag: "Image", src: "/i", alt: "i", href, width: undefined }])
    assert.deepStrictEqual(partsOf(inline).map(({ name }) => name).slice(-2), ["a", "img"])
  })
})

describe("A line as HTML", () => {
  it("has a link with its label or else its address, underlined in a color that follows the reader's screen", () => {
    const link = (label: string, href: string) => flow([{ _tag: "Link", text: label, href }])
    const [part] = partsOf(link("<l>", "/a?b&c")).filter(({ name }) => name === "a")
    assert.deepInclude(part, { of: { class: "link", href: "/a?b&c" } })
    assert.deepInclude(part?.style, { "color": colors.link, "text-decoration": "underline" })
    assert.strictEqual(dom(link("<l>", "/a")).text, "<l>")
    assert.strictEqual(dom(link("", "/a?<b>&amp;")).text, "/a?<b>&amp;")
    assert.strictEqual(link("<l>", "javascript:x"), "&lt;l&gt;")
  })

  it("has a label's emphasis, code and images inside of its link, and the link's words where it may not be followed", () => {
    const html = (source: string) => flow(inline(source, new Budget())).replaceAll(/ (?:class|style)="[^"]*"/g, "")
    assert.strictEqual(html("[**a** `<b>`](/c)"), "<a href=\"/c\"><strong>a</strong> <code>&lt;b&gt;</code></a>")
    assert.strictEqual(html("[![a](/b)](/c)"), "<a href=\"/c\"><img src=\"/b\" alt=\"a\"></a>")
    assert.strictEqual(html("[![a](/b) *d*](/c)"), "<a href=\"/c\"><img src=\"/b\" alt=\"a\"> <em>d</em></a>")
    assert.strictEqual(html("[**<a>**](javascript://x)"), "<strong>&lt;a&gt;</strong>")
  })

  it("keeps the line ends of a text, and has code, emphasis and colors", () => {
    assert.strictEqual(flow(text("a\r\nb\n<c>")), "a<br>\nb<br>\n&lt;c&gt;")
    const code = flow([{ _tag: "Code", text: "<b>&" }])
    assert.match(code, /^<code class="code" style="[^"]*">&lt;b&gt;&amp;<\/code>$/)
    assert.strictEqual(
      flow([
        { _tag: "Tint", color: "red" },
        { _tag: "Open", emphasis: "u" },
        ...text("a"),
        { _tag: "Close", emphasis: "u" },
        { _tag: "Untint" }
      ]),
      "<span style=\"color:red\"><u>a</u></span>"
    )
  })
})
