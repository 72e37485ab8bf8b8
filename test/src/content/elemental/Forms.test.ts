import { dom } from "#test/src/content/Dom.ts"
import { elements, failure, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const mail = (...of: ReadonlyArray<Piece>): string => render(elements(...of), { channel: "email" }).html

const said = (...of: ReadonlyArray<Piece>): string => render(elements(...of)).body

/** What the attributes of the first such element of a mail say. */
const attributes = (html: string, name: string, ...keys: ReadonlyArray<string>) => {
  const found = dom(html).elements.find((element) => element.name === name)
  return keys.map((key) => found?.attributes.get(key))
}

const list = (...items: ReadonlyArray<object>): Piece => ({
  type: "list",
  elements: items.map((item) => ({ ...item, type: "list-item" }))
})

describe("How elements are shown (api.md 2.5)", () => {
  it("markdown has its element's style and side, but headings of its own", () => {
    const html = mail({
      type: "text",
      format: "markdown",
      content: "# Head\n\nwords",
      text_style: "subtext",
      align: "right"
    })
    assert.match(html, /<h1 style="margin:0;text-align:right;[^"]*font-size:26px[^"]*">Head<\/h1>/)
    assert.match(html, /<p class="sub" style="margin:0;text-align:right;[^"]*font-size:14px[^"]*">words<\/p>/)
  })

  it("all words of a markdown have the colour and the emphases of its element, within its own", () => {
    const content = "# Head\n\nsome *words*\n\n- item\n  - inner\n\n> quote\n\n```\ncode\n```"
    const html = mail({ type: "text", format: "markdown", content, color: "#123456", bold: "true", underline: true })
    const dressed = (words: string) => `<span style="color:#123456"><strong><u>${words}</u></strong></span>`
    for (const words of ["Head", "some <em>words</em>", "item", "inner", "quote"]) assert.include(html, dressed(words))
    assert.notInclude(html, dressed("code"))
    assert.strictEqual(html.split("<strong>").length, 6)
  })

  it("pieces are no markdown, whatever the format of their element", () => {
    const pieces = [{ type: "string", content: "# **a**" }]
    assert.strictEqual(said({ type: "text", format: "markdown", elements: pieces }), "# **a**")
  })

  it("an item is its markdown, or its pieces and blocks in their order", () => {
    const string = { type: "string", content: "a" }
    const link = { type: "link", content: "b", href: "https://x.io" }
    const image = { type: "img", src: "https://x.io/i.png", alt_text: "c" }
    const block = { type: "text", content: "d" }
    const of = (...pieces: ReadonlyArray<Piece>) => said(list({ elements: pieces }))
    assert.strictEqual(said(list({ format: "markdown", content: "**a**\n\nb" })), "- a\n  b")
    assert.strictEqual(of(string, image, link), "- acb (https://x.io)")
    assert.strictEqual(of(image), "- c")
    assert.strictEqual(of(block, string), "- d\n  a")
    assert.strictEqual(of(string, block, image, string), "- a\n  d\n  ca")
    assert.strictEqual(of({ type: "unknown" }, string), "- a")
  })

  it("pictures and links go by addresses without the blanks around them", () => {
    const [src, href] = [" https://x.io/i.png\n", "\thttps://x.io "]
    const block: Piece = { type: "image", src, href, alt_text: "A", align: "right", width: "50%" }
    const inline: Piece = { type: "text", elements: [{ type: "img", src, href, width: "20px" }] }
    const link: Piece = { type: "text", elements: [{ type: "link", content: "l", href }] }
    for (const image of [block, inline]) {
      assert.deepStrictEqual(attributes(mail(image), "img", "src"), ["https://x.io/i.png"])
      assert.deepStrictEqual(attributes(mail(image), "a", "href"), ["https://x.io"])
    }
    assert.deepStrictEqual(attributes(mail(link), "a", "href"), ["https://x.io"])
    assert.strictEqual(said(link), "l (https://x.io)")
    assert.match(mail(block), /<td align="right"[^>]*><a [^>]*><img [^>]*width:50%/)
    assert.deepStrictEqual(attributes(mail(inline), "img", "width"), ["20"])
  })

  it("colors are those of lines, items, and texts", () => {
    assert.match(mail({ type: "divider", color: "#123456" }), /<hr style="[^"]*#123456"/)
    assert.match(mail(list({ content: "a", background_color: "#abcdef" })), /<li style="[^"]*background-color:#abcdef/)
    assert.match(mail({ type: "text", content: "a", color: "#fedcba" }), /<span style="color:#fedcba">a<\/span>/)
  })

  it("a mail's channel has its size of letters, lines and margins, in pixels where it names no unit", () => {
    const of = (more: object) => mail({ type: "channel", channel: "email", elements: [], ...more })
    const card = /<td class="card"[^>]*style="padding:([^;]*);.*font-size:(\d+px);line-height:([^;]*);/
    const seen = (more: object) => card.exec(of(more))?.slice(1)
    assert.deepStrictEqual(seen({ font_size: "20px", line_height: "30", padding: 7 }), ["7px", "20px", "30px"])
    const plain = seen({})
    assert.deepStrictEqual(seen({ font_size: "big", line_height: null, padding: "1px;x:y" }), plain)
    assert.deepStrictEqual(seen({ line_height: "40px" }), plain?.with(2, "40px"))
    for (const height of ["1.5", 1.5]) assert.deepStrictEqual(seen({ line_height: height }), plain?.with(2, "1.5"))
    assert.deepStrictEqual(seen({ padding: "10px 20px" }), plain?.with(0, "10px 20px"))
  })

  it("each kind of emphasis is a member, as a boolean or in words", () => {
    const tags = { bold: "strong", italic: "em", strikethrough: "del", underline: "u" }
    for (const [key, tag] of Object.entries(tags)) {
      for (const value of [true, "true", " true\n"]) {
        assert.include(mail({ type: "text", content: "a", [key]: value }), `<${tag}>a</${tag}>`)
      }
      for (const value of [false, "false", "yes", "", null]) {
        assert.include(mail({ type: "text", content: "a", [key]: value }), ">a</p>", `${key} ${value}`)
      }
    }
    const all = { bold: true, italic: true, strikethrough: true, underline: true }
    assert.include(
      mail({ type: "text", elements: [{ type: "string", content: "a", ...all }] }),
      "<strong><em><del><u>a</u></del></em></strong>"
    )
  })

  it("the first title that says anything is the message's", () => {
    const metas = ["", null, "One", "Two"].map((title) => ({ type: "meta", title }))
    assert.strictEqual(render(elements(...metas)).title, "One")
  })

  it("what is null is not there: it says nothing, and leaves its other name to be read", () => {
    for (const type of ["text", "quote", "action", "html", "list-item", "string"]) {
      assert.strictEqual(failure(elements({ type, content: null, href: null }), { channel: "email" }), "rendered", type)
    }
    assert.strictEqual(failure(elements({ type: "list", imgSrc: null, imgHref: null, elements: [] })), "rendered")
    const image = { type: "image", src: "https://x.io/i.png", alt_text: null, altText: "A" }
    assert.deepStrictEqual(attributes(mail(image), "img", "alt"), ["A"])
  })

  it("numbers and booleans are texts, and what is neither fails its message by its name", () => {
    assert.strictEqual(said({ type: "text", content: 5 }, { type: "text", content: false }), "5\nfalse")
    const type = `text${"x".repeat(500)}`
    const looped = { type, content: "a", loop: { a: 1 } }
    assert.strictEqual(
      failure(elements(looped)),
      `The "loop" of an element of type "${type.slice(0, 80)}" is not a text`
    )
    assert.match(
      failure(elements({ type: "text", loop: `data.${"x".repeat(500)}` }), { data: { ["x".repeat(500)]: 1 } }),
      /^The loop over "data\.x{75}" needs a list$/
    )
  })

  it("there may be as many as the budget allows", () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ type: "text", content: `${n}` }))
    assert.lengthOf(said(...many).split("\n"), 300)
  })
})
