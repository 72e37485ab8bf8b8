import { dom } from "#test/src/content/Dom.ts"
import { elements, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const mail = (...of: ReadonlyArray<Piece>) => render(elements(...of), { channel: "email" })

/** The named elements of a mail. */
const found = (name: string, ...of: ReadonlyArray<Piece>) =>
  dom(mail(...of).html).elements.flatMap((element) => element.name === name ? [element.attributes] : [])

describe("What the fields of an element do (api.md 2.5)", () => {
  it("an image's words and a quote's edge go by either of their names", () => {
    for (const key of ["altText", "alt_text"]) {
      const image = { src: "https://x.io/a.png", [key]: "A pot" }
      for (const all of [[{ ...image, type: "image" }], [{ type: "text", elements: [{ ...image, type: "img" }] }]]) {
        assert.deepStrictEqual(found("img", ...all).map((image) => image.get("alt")), ["A pot"], key)
      }
    }
    for (const key of ["borderColor", "border_color"]) {
      assert.include(mail({ type: "quote", content: "a", [key]: "#123456" }).html, "border-left:4px solid #123456", key)
    }
  })

  it("a list's picture stands above it, and leads where the list says", () => {
    const list = { type: "list", elements: [{ type: "list-item", content: "a" }] }
    const { html, text } = mail({
      ...list,
      imgSrc: "https://x.io/a.png",
      imgHref: "https://x.io",
      href: "https://no.io"
    })
    assert.deepStrictEqual(
      dom(html).elements.map(({ attributes, name }) => [name, attributes.get("src") ?? attributes.get("href")])
        .filter(([name = ""]) => ["a", "img", "ul"].includes(name)),
      [["a", "https://x.io"], ["img", "https://x.io/a.png"], ["ul", undefined]]
    )
    assert.strictEqual(text, "https://x.io\n\n- a")
    assert.deepStrictEqual(found("img", list), [])
  })

  it("a quote has its style as a whole, and its words have none again", () => {
    const { html } = mail({ type: "quote", content: "said", text_style: "h2" })
    assert.match(html, /<td [^>]*font-size:21px[^>]*>.*<p style="margin:0;">said<\/p>/)
    assert.notInclude(html, "<h2")
  })

  it("an action is a button in the middle, unless it says that it stands elsewhere or is a link", () => {
    const of = (more: object) => {
      const html = mail({ type: "action", content: "Go\nnow", href: " https://x.io ", ...more }).html
      assert.match(html, /<a [^>]*href="https:\/\/x\.io"[^>]*>Go now<\/a>/)
      return [
        /<tr><td(?: align="(\w+)")? style="padding:0 0 16px/.exec(html)?.[1],
        html.includes("display:block;padding"),
        html.includes("bgcolor")
      ]
    }
    assert.deepStrictEqual(of({}), ["center", false, true])
    assert.deepStrictEqual(of({ align: "right" }), ["right", false, true])
    assert.deepStrictEqual(of({ align: "full" }), [undefined, true, true])
    assert.deepStrictEqual(of({ style: "link" }), ["center", false, false])
  })

  it("a field that is null is as if it were not there", () => {
    const fields = ["if", "loop", "channels", "locales", "ref", "elements", "align", "color", "bold", "format"]
    for (const field of fields) {
      assert.strictEqual(
        mail({ type: "text", content: "a", [field]: null }).html,
        mail({ type: "text", content: "a" }).html,
        field
      )
    }
  })

  it("a condition that is an empty text is none", () => {
    assert.include(mail({ type: "text", content: "shown", if: "" }).html, "shown")
  })

  it("a text that no style is named for is plain, and so is one whose style nobody knows", () => {
    for (const styled of [{}, { text_style: null }, { text_style: "h9" }]) {
      assert.include(mail({ type: "text", content: "a", ...styled }).html, "<p style=\"margin:0;\">a</p>")
    }
  })
})
