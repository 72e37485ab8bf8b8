import * as Layers from "#layers/mjml/Mjml.ts"
import type { Brand, BrandSettings } from "#schemas/Brand.ts"
import type { Content } from "#schemas/Elemental.ts"
import { Scope } from "#schemas/Scope.ts"
import { parse } from "#src/content/Catalogue.ts"
import * as Frame from "#src/content/Frame.ts"
import * as Layouts from "#src/content/Layouts.ts"
import { Mjml, MjmlRefused } from "#src/content/Mjml.ts"
import * as Rendering from "#src/content/Rendering.ts"
import { Translations } from "#src/content/Translations.ts"
import { dom } from "#test/src/content/Dom.ts"
import { elements } from "#test/src/content/Rendering.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, type Schema } from "effect"

const po = `msgid ""
msgstr "Plural-Forms: nplurals=2; plural=(n != 1);"

msgid "Hello {name}"
msgstr "Hallo {name} <3"

msgid "{count} letter"
msgid_plural "{count} letters"
msgstr[0] "{count} Brief"
msgstr[1] "{count} Briefe"
`

let compiled = 0

/** The real compiler, counted; `broken` in a source is refused. */
const counting = Layer.effect(
  Mjml,
  Effect.map(Mjml, ({ compile }) =>
    Mjml.of({
      compile: (source, turn) => {
        compiled++
        return source.includes("broken") ? Effect.fail(new MjmlRefused({ detail: "planted" })) : compile(source, turn)
      }
    }))
).pipe(Layer.provide(Layers.layer))

const rendering = Rendering.layer.pipe(
  Layer.provide(Layouts.layer),
  Layer.provide(counting),
  Layer.provide(Layer.mock(Translations, {
    find: (_, __, locale) =>
      locale === "de" ? Effect.map(Effect.orDie(parse(po)), Option.some) : Effect.succeed(Option.none())
  }))
)

const brandOf = (settings: BrandSettings, name = "Tea & Co."): Brand => ({ id: "tea", name, settings, snippets: {} })

const tea = brandOf({
  colors: { primary: "#0f766e" },
  email: {
    header: { barColor: "#0f766e", logo: { image: "https://tea.io/l.png?a=1&b=2", href: "https://tea.io" } },
    footer: {
      markdown: "**Tea**, for {{profile.name}} [stop]({{urls.unsubscribe}})",
      social: { instagram: { url: "https://i.io" } }
    }
  }
})

const render = (
  content: Content,
  { brand, channel = "email", data = {}, profile = {} }: {
    readonly brand?: Brand
    readonly channel?: string
    readonly data?: Schema.JsonObject
    readonly profile?: Schema.JsonObject
  } = {}
) =>
  Rendering.Rendering.use(({ render }) =>
    render(Scope.make(1), {
      content,
      channel,
      provider: channel,
      data,
      profile,
      brand,
      context: () => ({
        messageId: "1-2-3",
        recipient: "ada",
        tenantId: undefined,
        environment: "test",
        variables: { urls: { unsubscribe: "https://x.io/u" } }
      })
    }, { lane: "", whose: "" })
  )

const hello = elements(
  { type: "meta", title: "Hi {{v}}" },
  { type: "text", content: "Hello {{v}}" },
  { type: "action", content: "Go", href: "https://x.io" }
)

const hostile = "\"><script>alert(1)</script>{{x}}%%tidings:footer%%"

layer(rendering, { excludeTestServices: true })("Branded mails", (it) => {
  it.effect("have the brand's header, colours, footer and networks, and a text part", () =>
    Effect.gen(function*() {
      const { html, subject, text } = yield* render(hello, { brand: tea, data: { v: "you" }, profile: { name: "Ada" } })
      assert.strictEqual(subject, "Hi you")
      assert.include(html, "<title>Hi you</title>")
      assert.include(html, `src="https://tea.io/l.png?a=1&amp;b=2"`)
      assert.include(html, "border-top:6px solid #0f766e")
      assert.include(html, `bgcolor="#0f766e"`)
      assert.include(html, "<strong>Tea</strong>, for Ada")
      assert.include(html, `href="https://x.io/u"`)
      assert.include(html, "Instagram</a>")
      assert.notMatch(html, /%%tidings|fonts\.googleapis/)
      assert.strictEqual(
        text,
        "Hello you\n\nGo: https://x.io\n\n----------\n\nTea, for Ada stop (https://x.io/u)\n\nInstagram (https://i.io)"
      )
      const sms = yield* render(hello, { brand: tea, channel: "sms", data: { v: "you" } })
      assert.strictEqual(sms.text, "Hello you\nGo: https://x.io")
    }))

  it.effect("all of a brand's page is in a frame that its mails share, whatever they say", () =>
    Effect.gen(function*() {
      const [one, two] = [
        yield* render(hello, { brand: tea, data: { v: "you" }, profile: { name: "Ada" } }),
        yield* render(hello, { brand: tea, data: { v: hostile }, profile: { name: "Bob", locale: "ar" } })
      ]
      const [first, second] = [Frame.of(one), Frame.of(two)]
      assert.isDefined(first)
      assert.isDefined(second)
      assert.strictEqual(first.frame, second.frame)
      assert.deepStrictEqual([Frame.join(first), Frame.join(second)], [one.html, two.html])
      assert.isBelow(first.own.join("").length, one.html.length / 5)
    }))

  it.effect("a brand's page is compiled once per revision, however many mails there are", () =>
    Effect.gen(function*() {
      const own = brandOf({ colors: { primary: "#123456" }, email: { header: { barColor: "#123456" } } })
      const before = compiled
      yield* Effect.forEach(Array.from({ length: 50 }), () => render(hello, { brand: own, data: { v: "a" } }), {
        concurrency: 10
      })
      yield* render(hello, { brand: { ...own }, data: { v: "a" } })
      assert.strictEqual(compiled - before, 1)
      yield* render(hello, { brand: brandOf({ email: { header: { barColor: "#654321" } } }), data: { v: "a" } })
      assert.strictEqual(compiled - before, 2)
    }))

  it.effect("data and profile are text in a branded mail, and fill no place of the page", () =>
    Effect.gen(function*() {
      const { html } = yield* render(hello, { brand: tea, data: { v: hostile }, profile: { name: hostile } })
      assert.notInclude(dom(html).elements.map(({ name }) => name), "script")
      assert.include(html, "%%tidings:footer%%")
      assert.strictEqual(html.split("Instagram</a>").length, 2)
    }))

  it.effect("what a brand says is checked: colours, addresses and names", () =>
    Effect.gen(function*() {
      const { html } = yield* render(hello, {
        data: { v: "a" },
        brand: brandOf({
          colors: { primary: "red;background:url(x)" },
          email: {
            header: { barColor: "\"><script>", logo: { image: "javascript:alert(1)", href: "javascript:alert(1)" } },
            footer: { social: { facebook: { url: "javascript:alert(1)" } } }
          }
        }, "\"><script>alert(1)</script>")
      })
      assert.notMatch(html, /javascript:|<script|url\(x\)/)
    }))

  it.effect("a template of the brand's own stands around the body, as HTML and as MJML, filled in and escaped", () =>
    Effect.gen(function*() {
      const html = brandOf({
        email: {
          templateOverride: {
            enabled: true,
            width: "480",
            backgroundColor: "#000000",
            header: "<b id=h>{{profile.name}}</b>",
            footer: "<i id=f>{{#if v}}{{v}}{{/if}}</i><a href=\"https://acme.example/{{v}}\">Stop</a>"
          }
        }
      })
      const first = yield* render(hello, { brand: html, data: { v: "<u>" }, profile: { name: "<u>" } })
      assert.include(first.html, "<b id=h>&lt;u&gt;</b>")
      assert.include(first.html, "<i id=f>&lt;u&gt;</i>")
      assert.include(first.html, "max-width:480px")
      assert.match(
        first.text,
        /\n\n-{10}\n\n<u>Stop \(https:\/\/acme\.example\/.*\)$/,
        "the footer is in the text, too"
      )
      const mjml = brandOf({
        email: {
          templateOverride: {
            enabled: true,
            mjml: {
              enabled: true,
              header: "<mj-section><mj-column><mj-text>A {{v}}</mj-text></mj-column></mj-section>"
            }
          }
        }
      })
      assert.include((yield* render(hello, { brand: mjml, data: { v: "&" } })).html, "A &amp;")
    }))

  it.effect("a brand that cannot be compiled leaves the plain page, with its footer", () =>
    Effect.gen(function*() {
      const bad = brandOf({ email: { head: { content: "broken" }, footer: { markdown: "Small print" } } })
      const { html, text } = yield* render(hello, { brand: bad, data: { v: "a" } })
      assert.include(html, "Small print")
      assert.include(html, "<!doctype html>")
      assert.include(text, "Small print")
    }))

  it.effect(
    "raw MJML is filled in, escaped, compiled, and has a text part; what is none fails its message",
    () =>
      Effect.gen(function*() {
        const raw = (html: string): Content =>
          elements({
            type: "channel",
            channel: "email",
            raw: { subject: "{{v}}", html, transformers: ["handlebars", "mjml"] }
          })
        const mail = (inside: string) =>
          `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`
        const good = yield* render(raw(mail("{{#each l}}<mj-text>{{this}}</mj-text>{{/each}}")), {
          data: { v: "s", l: ["<b>", "two"] }
        })
        assert.include(good.html, "&lt;b&gt;")
        assert.strictEqual(good.text.replaceAll(/\s+/g, " "), "<b> two")
        const evil = "red;x:url('https://evil.io')}p{color:red"
        const places = `<mj-raw><i style="x:{{v}}">i</i></mj-raw><mj-text color="{{v}}" padding="{{w}}">a</mj-text>` +
          `<mj-navbar base-url="{{u}}"><mj-navbar-link href="/b">n</mj-navbar-link></mj-navbar>` +
          `<mj-image src="https://x.io/a.png" alt="{{v}}" />`
        const styled = yield* render(
          raw(
            `<mjml><mj-head><mj-style>p{color:{{v}}}</mj-style></mj-head><mj-body><mj-section background-url="{{b}}"><mj-column>${places}</mj-column></mj-section></mj-body></mjml>`
          ),
          { data: { v: evil, b: "https://x.io/a&#39);x:1;y:url('", w: "3px 4%", u: "javascript:alert(1)//" } }
        )
        assert.include(styled.html, "padding:3px 4%")
        assert.include(styled.html, "background:url('https://x.io/a")
        const { elements: found, code } = dom(styled.html)
        assert.notMatch(code, /url\(|\}p\{color:red/)
        for (const { attributes } of found) {
          assert.notMatch(attributes.get("style") ?? "", /;[xy]:|evil\.io'|io\/a'|\}p/)
          assert.notMatch(attributes.get("href") ?? "", /^javascript:/)
        }
        assert.include(found.map(({ attributes }) => attributes.get("alt")), evil)
        for (
          const bomb of [
            "{{v}}",
            mail("{{#each l}}{{#each ../l}}{{#each ../../l}}<mj-text>x</mj-text>{{/each}}{{/each}}{{/each}}")
          ]
        ) {
          const failed = yield* Effect.flip(
            render(raw(bomb), { data: { v: "no", l: Array.from({ length: 300 }, () => "x") } })
          )
          assert.match(failed.detail, /MJML|content/)
        }
      }),
    60_000
  )

  it.effect("translations are in the recipient's language, with values and plurals; without one the key itself", () =>
    Effect.gen(function*() {
      const source = "{{t \"Hello {name}\" name=v}}, {{translate \"{count} letter\" count=n}}"
      const said = (locale: string | undefined, n: number, channel = "sms") =>
        Effect.map(
          render({ title: "t", body: source }, {
            channel,
            data: { v: "<Ada>", n },
            profile: locale === undefined ? {} : { locale }
          }),
          (rendered) => channel === "email" ? rendered.html : rendered.text
        )
      assert.strictEqual(yield* said("de", 1), "Hallo <Ada> <3, 1 Brief")
      assert.strictEqual(yield* said("de", 2), "Hallo <Ada> <3, 2 Briefe")
      assert.strictEqual(yield* said("fr", 2), "Hello <Ada>, 2 letter")
      assert.strictEqual(yield* said(undefined, 1), "Hello <Ada>, 1 letter")
      assert.include(yield* said("de", 1, "email"), "Hallo &lt;Ada&gt; &lt;3, 1 Brief")
    }))
})
