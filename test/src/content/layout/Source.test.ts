import * as Layers from "#layers/mjml/Mjml.ts"
import type { BrandSettings } from "#schemas/Brand.ts"
import { styleOf } from "#src/content/layout/Branding.ts"
import { mark } from "#src/content/layout/Layout.ts"
import { source } from "#src/content/layout/Source.ts"
import { Mjml } from "#src/content/Mjml.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

const name = "Tea \"&\" <Co> {{ x"

/** The page of a brand's mails, compiled but not filled. */
const pageOf = Effect.fnUntraced(function*(email: NonNullable<BrandSettings["email"]>) {
  const html = yield* Mjml.use(({ compile }) =>
    compile(source(styleOf({ id: "tea", name, settings: { email }, snippets: {} })), { lane: "", whose: "" })
  )
  const { code, elements } = dom(html)
  return { html, code, elements, names: elements.map((element) => element.name) }
})

/** What a text stands between, in the order of the page. */
const order = (html: string, ...texts: ReadonlyArray<string>): ReadonlyArray<number> =>
  texts.map((text) => html.indexOf(text))

layer(Layers.layer, { excludeTestServices: true })("The page of a brand's mails", (it) => {
  it.effect("has a place for all that a mail fills, and is read in the mail's own direction", () =>
    Effect.gen(function*() {
      const { elements, html } = yield* pageOf({})
      assert.include(html, `<title>${mark("title")}</title>`)
      const places = order(html, `>${mark("preheader")}`, mark("body"), mark("footer"))
      assert.deepStrictEqual(places.map((at) => at > 0), [true, true, true])
      assert.deepStrictEqual(places.toSorted((a, b) => a - b), places)
      const root = elements.find((element) => element.name === "html")?.attributes
      assert.deepStrictEqual([root?.get("lang"), root?.get("dir")], [mark("lang"), mark("dir")])
    }))

  it.effect("the logo says the brand's name, and is a link where the brand has an address for it", () =>
    Effect.gen(function*() {
      const image = "https://tea.example/l.png"
      for (const href of [null, "https://tea.example/?a=1&b=2"]) {
        const { elements, html } = yield* pageOf({ header: { logo: { image, href } } })
        assert.notInclude(html, "{{ x", "it is no template")
        assert.deepStrictEqual(
          elements.flatMap(({ attributes, name }) =>
            name === "img" ? [[attributes.get("src"), attributes.get("alt")]] : []
          ),
          [[image, name]]
        )
        assert.deepStrictEqual(
          elements.flatMap(({ attributes, name }) => name === "a" ? [attributes.get("href")] : []),
          href === null ? [] : [href]
        )
      }
    }))

  it.effect("a head of the brand's and one of its frame's are both in the page's", () =>
    Effect.gen(function*() {
      const head = { content: "<meta name=\"one\">" }
      const names = (elements: ReadonlyArray<{ readonly attributes: ReadonlyMap<string, string> }>) =>
        elements.flatMap(({ attributes }) => attributes.get("name") ?? []).filter((name) => /^(?:one|two)$/.test(name))
      const plain = yield* pageOf({ head })
      assert.deepStrictEqual(names(plain.elements), ["one"])
      const html = yield* pageOf({ head, templateOverride: { enabled: true, head: "<meta name=\"two\">" } })
      assert.deepStrictEqual(names(html.elements), ["one", "two"])
      const own = { enabled: true, head: "<mj-style>.two{color:red}</mj-style>" }
      const mjml = yield* pageOf({ head, templateOverride: { enabled: true, mjml: own } })
      assert.deepStrictEqual(names(mjml.elements), ["one"])
      assert.include(mjml.code, ".two{color:red}")
    }))

  it.effect("a frame's header and footer stand around the body, in place of the brand's, as HTML and as MJML", () =>
    Effect.gen(function*() {
      const section = (id: string) =>
        `<mj-section><mj-column><mj-text><b id="${id}"></b></mj-text></mj-column></mj-section>`
      const header = { logo: { image: "https://tea.example/l.png" } }
      const plain = { header: "<b id=\"top\"></b>", footer: "<b id=\"end\"></b>" }
      const mjml = { enabled: true, header: section("top"), footer: section("end") }
      for (const override of [plain, { mjml }]) {
        const { html, names } = yield* pageOf({ header, templateOverride: { ...override, enabled: true } })
        const places = order(html, "id=\"top\"", mark("body"), "id=\"end\"")
        assert.deepStrictEqual(places.map((at) => at > 0), [true, true, true])
        assert.deepStrictEqual(places.toSorted((a, b) => a - b), places)
        assert.deepStrictEqual(names.filter((name) => name === "img" || name.startsWith("mj-")), [])
        assert.notInclude(html, mark("footer"))
      }
    }))
})
