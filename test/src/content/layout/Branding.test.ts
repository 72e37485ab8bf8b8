import type { BrandSettings } from "#schemas/Brand.ts"
import { styleOf } from "#src/content/layout/Branding.ts"
import { assert, describe, it } from "@effect/vitest"

type Email = NonNullable<BrandSettings["email"]>

const style = (email: Email) => styleOf({ id: "tea", name: "Tea", settings: { email }, snippets: {} })

const networks = ["facebook", "instagram", "linkedin", "medium", "twitter"] as const
const social = Object.fromEntries(networks.map((name) => [name, { url: `https://${name}.example` }]))

describe("The style of a brand's mails (api.md §9)", () => {
  it("its frame is at least 320 and at most 1200 px wide, and 600 where its width is none in px", () => {
    const widthOf = (width: string) => style({ templateOverride: { enabled: true, width } }).width
    assert.deepStrictEqual(
      ["319", "320", "480.4px", "1200", "1201px", "50%", "wide", ""].map(widthOf),
      [320, 320, 480, 1_200, 1_200, 600, 600, 600]
    )
  })

  it("a frame of the author's own counts only where it is enabled, as HTML or else as MJML", () => {
    const frame = (name: string) => ({
      head: `head of ${name}`,
      header: `header of ${name}`,
      footer: `footer of ${name}`,
      width: "500",
      backgroundColor: "red",
      blocksBackgroundColor: "green"
    })
    const of = (enabled: boolean, mjml: boolean) => {
      const override = { ...frame("html"), footerBackgroundColor: "blue", mjml: { ...frame("mjml"), enabled: mjml } }
      const found = style({ templateOverride: { ...override, enabled } })
      return [found.override, found.width, found.page, found.card, found.footerColor]
    }
    const own = (name: string, isMjml: boolean) => ({
      isMjml,
      head: `head of ${name}`,
      header: `header of ${name}`,
      footer: `footer of ${name}`
    })
    assert.deepStrictEqual(of(true, false), [own("html", false), 500, "red", "green", "blue"])
    assert.deepStrictEqual(of(true, true), [own("mjml", true), 500, "red", "green", "blue"])
    for (const mjml of [true, false]) {
      assert.deepStrictEqual(of(false, mjml), [undefined, 600, undefined, undefined, undefined])
    }
  })

  it("its footer is the markdown, else the content, with every network; a frame with its own footer has neither", () => {
    const footer = { content: "content", markdown: "markdown", social }
    const of = (override: string | null, written: NonNullable<Email["footer"]> = footer) => {
      const found = style({ footer: written, templateOverride: { enabled: true, footer: override } })
      return [found.footer, found.social.map(({ url }) => url)]
    }
    const urls = networks.map((name) => `https://${name}.example`)
    assert.deepStrictEqual(of(null), ["markdown", urls])
    assert.deepStrictEqual(of("", { content: "content" }), ["content", []])
    assert.deepStrictEqual(of("own"), ["", []])
  })

  it("its logo leads only where an address may lead", () => {
    const of = (href: string) => style({ header: { logo: { image: "https://tea.example/l.png", href } } }).logo?.href
    assert.deepStrictEqual(["https://tea.example", "javascript:alert(1)"].map(of), ["https://tea.example", ""])
  })
})
