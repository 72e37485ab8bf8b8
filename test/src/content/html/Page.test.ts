import { type Block, paragraph } from "#src/content/Block.ts"
import * as Frame from "#src/content/Frame.ts"
import * as Page from "#src/content/html/Page.ts"
import * as Layout from "#src/content/layout/Layout.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, describe, it } from "@effect/vitest"

const says = (text: string) => paragraph([{ _tag: "Text", text }])

const mail = (look: Partial<Page.Look> = {}): Page.Mail => ({
  title: "<t> & \"q\"",
  first: "",
  blocks: [says("body")],
  footer: [],
  look: { ...Page.plain, ...look }
})

const marks = ["lang", "dir", "direction", "align", "title", "body", "footer"] as const
const layout = Layout.cut(`${marks.map((slot) => `${slot}=${Layout.mark(slot)}|`).join("")}{{v}}`)

/** What fills each place of a brand's page. */
const filled = (given: Page.Mail): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Frame.join(Page.branded(given, layout, (template) => `${template}=written`)).split("|").map((part) => {
      const [name = "", ...value] = part.split("=")
      return [name, value.join("=")]
    })
  )

const page = (given: Page.Mail) => {
  const { elements, text } = dom(Frame.join(Page.page(given)))
  const of = (name: string, kind?: string) =>
    elements.find(({ attributes, name: own }) =>
      own === name && (kind === undefined || attributes.get("class") === kind)
    )
      ?.attributes
  const root = of("html")
  const outer = of("table", "page")
  const card = of("td", "card")
  return {
    outer: [outer?.get("lang"), outer?.get("dir")],
    card,
    text,
    sub: of("td", "sub"),
    read: [root?.get("lang"), root?.get("dir"), card?.get("align")]
  }
}

const rightToLeft =
  "ar azb ckb dv fa he iw ji ks lrc mzn nqo pnb prs ps sd skr syr ug ur yi AR-eg fa-AF az-IR ku-IQ pa-PK uz-AF "
  + "fa-Arab-IR pa-Arab-PK az-arab ff-Adlm ur-Aran ur-aran-PK en-Hebr nqo-Nkoo rhg-Rohg ar-Syrc en-Thaa"
const leftToRight = "en de-AT arn hex fab pa ku az uz ar-Latn sd-Deva-IN pa-IN sr-Cyrl x ar-ab-cd en-x"
const quote: Block = { _tag: "Quote", style: "text", align: undefined, border: undefined, blocks: [says("quoted")] }

describe("The page of a mail", () => {
  it("is read from the right where its language is", () => {
    for (const language of rightToLeft.split(" ")) {
      assert.deepStrictEqual(page(mail({ language })).read, [language, "rtl", "right"])
      assert.deepStrictEqual(page(mail({ language })).outer, [language, "rtl"])
      const { align, dir, direction, lang } = filled(mail({ language }))
      assert.deepStrictEqual([lang, dir, direction, align], [language, "rtl", "rtl", "right"])
    }
    for (const language of leftToRight.split(" ")) {
      assert.deepStrictEqual(page(mail({ language })).read, [language, "ltr", "left"])
      assert.deepStrictEqual(page(mail({ language })).outer, [language, "ltr"])
      const { align, dir, direction, lang } = filled(mail({ language }))
      assert.deepStrictEqual([lang, dir, direction, align], [language, "ltr", "ltr", "left"])
    }
  })

  it("quotes have their edges where lines begin, in the body and in the footer", () => {
    for (const [language, side] of [["he", "right"], ["en", "left"], [undefined, "left"]] as const) {
      const given = { ...mail({ language }), blocks: [quote], footer: [quote] }
      const { body = "", footer = "" } = filled(given)
      for (const html of [Frame.join(Page.page(given)), body + footer])
        assert.deepStrictEqual(html.match(/border-(?:left|right):4/g), [`border-${side}:4`, `border-${side}:4`])
    }
  })

  it("says no language where none is known: each reader finds the direction", () => {
    assert.deepStrictEqual(page(mail()).read, [undefined, undefined, "left"])
    const { align, dir, direction, lang } = filled(mail())
    assert.deepStrictEqual([lang, dir, direction, align], ["und", "auto", "ltr", "left"])
  })

  it("has the sizes that the author sets, and its own for all others", () => {
    const sizes = (look: Partial<Page.Look>) =>
      ["font-size", "line-height", "padding"].map((key) =>
        new RegExp(`(?:^|;)${key}:([^;]*)`).exec(page(mail(look)).card?.get("style") ?? "")?.[1]
      )
    const ours = ["16px", "24px", "32px 32px 16px"]
    assert.deepStrictEqual(sizes({}), ours)
    for (const [at, key] of (["fontSize", "lineHeight", "padding"] as const).entries()) {
      assert.deepStrictEqual(sizes({ [key]: "7px" }), ours.with(at, "7px"))
      const name = ["font-size", "line-height", "padding"][at]
      assert.isTrue(filled(mail({ [key]: "7px" }))["body"]?.startsWith(`<div style="${name}:7px"><table`))
    }
    assert.isTrue(
      filled(mail({ fontSize: "1px", lineHeight: "2px", padding: "3px" }))["body"]
        ?.startsWith("<div style=\"font-size:1px;line-height:2px;padding:3px\">")
    )
    assert.isTrue(filled(mail())["body"]?.startsWith("<table"))
  })

  it("has a title that is text, and a footer below the body where there is one", () => {
    assert.include(Frame.join(Page.page(mail())), "<title>&lt;t&gt; &amp; &quot;q&quot;</title>")
    assert.strictEqual(filled(mail())["title"], "&lt;t&gt; &amp; &quot;q&quot;")
    assert.isUndefined(page(mail()).sub)
    assert.strictEqual(filled(mail())["footer"], "")
    const footed = { ...mail(), footer: [says("foot")] }
    assert.strictEqual(page(footed).sub?.get("align"), "center")
    assert.match(page(footed).text, /body\s+foot/)
    assert.include(filled(footed)["footer"], "foot")
    assert.strictEqual(filled(footed)["{{v}}"], "written")
  })
})
