import { Choices, chooser, type Chooser } from "#test/src/content/Choices.ts"
import { dom, skeleton } from "#test/src/content/Dom.ts"
import { assertQuick, attempt, elements, json, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const hostile = [
  "<script>alert(1)</script>",
  "\"><img src=x onerror=alert(1)>",
  "' onmouseover='alert(1)",
  "` onload=alert(1) x=`",
  "x onerror=alert(1)",
  "javascript:alert(1)",
  " java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "</title><svg/onload=alert(1)>",
  "--><script>alert(1)</script>",
  "]]><script>",
  "red;background:url(javascript:alert(1))",
  "expression(alert(1))",
  "&#106;avascript:alert(1)",
  "\\u003cscript\\u003e",
  "**b** [l](javascript:alert(1)) ![i](javascript:alert(1)) <i>",
  "# h\n\n- a\n\n> q\n\n```\nc\n```",
  "{{messageId}} {{{v}}}",
  "\u0000\u0008\ufeff<b>"
] as const

/** Any elements there are, with data wherever data can stand. */
const elementOf = ({ below, from }: Chooser, depth: number): Piece => {
  const value = (): string =>
    from(["{{v}}", "a {{v}} b", "{{{v}}}", "{{w}}", "{{#each l}}{{this}}{{/each}}", "{{concat v w}}", "{{trim v}}"])
  const inside = (): ReadonlyArray<Piece> =>
    Array.from({ length: 1 + below(3) }, () => elementOf({ below, from }, depth - 1))
  const more = {
    align: from(["left", "center", "right", "full", "{{v}}"]),
    color: from(["red", "{{v}}", "#123456"]),
    bold: from<string | boolean>([true, "{{v}}"]),
    text_style: from(["text", "h1", "h2", "h3", "subtext"]),
    ...from([{}, {}, { loop: "l" }, { channels: ["email", "sms"] }, { ref: "r" }, { if: "data.v.length > 3" }]),
    ...from([{}, {}, { locales: { en: { content: "en {{v}}" } } }])
  }
  switch (below(depth > 0 ? 16 : 8)) {
    case 0:
      return { ...more, type: "text", content: `**${value()}** [l](https://x.io/${value()}) ${value()} \`${value()}\`` }
    case 1:
      return {
        ...more,
        type: "text",
        format: "markdown",
        content:
          `# ${value()}\n\n- ${value()}\n- [${value()}](${value()})\n\n> ${value()}\n\n\`\`\`\n${value()}\n\`\`\``
      }
    case 2:
      return {
        ...more,
        type: "action",
        content: value(),
        href: from([value(), `https://x.io/${value()}`]),
        background_color: value()
      }
    case 3:
      return { ...more, type: "image", src: value(), href: value(), alt_text: value(), width: from(["10px", "{{v}}"]) }
    case 4:
      return { ...more, type: "divider" }
    case 5:
      return { ...more, type: "quote", content: value(), border_color: value() }
    case 6:
      return {
        ...more,
        type: "text",
        elements: [
          { type: "string", content: value(), italic: true },
          { type: "link", content: value(), href: value() },
          { type: "img", src: value(), alt_text: value(), href: value() }
        ]
      }
    case 7:
      return { ...more, type: "meta", title: value() }
    case 8:
    case 9:
      return { ...more, type: "group", elements: inside() }
    case 10:
    case 11:
      return {
        ...more,
        type: "columns",
        elements: [{ type: "column", width: value(), elements: inside() }, { type: "column", elements: inside() }]
      }
    case 12:
    case 13:
      return { ...more, type: "list", list_type: from(["ordered", "unordered"]), imgSrc: value(), elements: inside() }
    case 14:
      return { ...more, type: "list-item", background_color: value(), elements: inside() }
    default:
      return {
        ...more,
        type: from(["comment", "jsonnet", "column", "list-item", "new"]),
        content: value(),
        elements: inside()
      }
  }
}

const channels = ["email", "sms", "push", "inbox", "webhook", "direct_message", "banner"] as const

const own = [
  "a",
  "h1",
  "h2",
  "h3",
  "p",
  "div",
  "li",
  "ul",
  "ol",
  "hr",
  "img",
  "table",
  "td",
  "tr",
  "strong",
  "em",
  "span",
  "br",
  "pre",
  "code"
]

describe("Email", () => {
  it.effect.prop(
    "data is never an element, an attribute, a style or an address that runs code, and text never has our tags",
    {
      choices: Choices,
      any: Schema.String,
      which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: hostile.length }))
    },
    ({ any, choices, which }) =>
      Effect.sync(() => {
        const v = hostile[which] ?? any
        const content = elements(elementOf(chooser(choices), 4))
        const data = { v, w: "safe", l: [v, "x"] }
        for (const channel of channels) {
          const seen = attempt(content, { channel, data, profile: { locale: "en" } })
          if (Result.isFailure(seen)) {
            assert.match(seen.failure.detail, /nested more than 5 deep/)
            continue
          }
          const { html, subject, text, title } = seen.success
          assert.notMatch(subject + title, /[\r\n]/)
          for (const tag of v.includes("<") || v.includes(">") ? [] : own) assert.notInclude(text, `<${tag} `)
          if (channel !== "email") continue
          for (const { attributes, name } of dom(html).elements) {
            assert.notInclude(["script", "svg", "iframe", "b", "i"], name)
            for (const [key, value] of attributes) {
              assert.notMatch(key, /^on/)
              if (key === "href" || key === "src") assert.notMatch(value, /^[\s\0]*(?:java\s*script|data|vbscript):/i)
              if (key === "style") assert.notMatch(value, /javascript|expression|<|background:url/)
            }
          }
          assert.notInclude(dom(html).code, "alert")
        }
      }),
    { arbitrary: { runs: 400, size: 100 } }
  )

  it("data in the author's own HTML changes none of its elements, wherever it stands", () => {
    const places = [
      "<p>V</p>",
      "<p title=\"V\" class='V' id=V>x</p>",
      "<a href=\"V\">x</a><a href='V'>x</a><a href=V>x</a><a href = V >x</a>",
      "<a href=\"https://x.io/?q=V\">V</a><a href=\"  V\">x</a><a href=\"java V\">x</a>",
      "<img src=\"V\" srcset=\"V\" alt=V>",
      "<object data=\"V\"></object><embed src=V><table background=\"V\"></table>",
      "<form action=\"V\"><button formaction=\"V\" name=\"V\">V</button></form>",
      "<svg><a xlink:href=\"V\">x</a></svg>",
      "<p style=\"color:V\" onclick=\"f('V')\">V</p>",
      "<style>p{color:V}</style><p>V</p>",
      "<script>var x = \"V\"</script><p>V</p>",
      "<style>a{b:c}</style><p>x</p><style>p{color:V}</style><p>V</p>",
      "<!-- V --><p>V</p>",
      "<!--[if mso]><p>V</p><![endif]--><p>V</p>",
      "<title>V</title><textarea>V</textarea><p>V</p>",
      "<iframe srcdoc=\"V\"></iframe><noscript>V</noscript><p>V</p>",
      "<p V>x</p><p data-V=\"V\">x</p><p V=\"V\" V=V>x</p>",
      "<a href=V title=\"V\">x</a><p id=V title='V' style=V onclick=V lang=\"V\">x</p>",
      "<!doctype html><?pi V?><p>V</p>",
      "a < b V <3 V &amp; \"V\" 'V' > V",
      "<p\n\ttitle\n=\n\"V\"\n>V</p><br/>V<br />V",
      "<script type=\"text/x\">if (a < b) \"</scrip\" V</script ><p>V</p>",
      "<a title=\"<script>\" href=\"V\">V</a><A HREF='V'>V</A><SCRIPT>V</SCRIPT><p>V</p>",
      "<a/href=\"V\"/title=V>V</a><p =V=\"V\">V</p>",
      "{{#each l}}<li title=\"{{this}}\">{{this}}</li>{{/each}}<p>V</p>",
      "{{#if v}}<p title=\"{{else}}<p class=\"{{/if}}V\">V</p>"
    ]
    for (const place of places) {
      for (const value of hostile) {
        for (const mark of ["{{v}}", "{{{v}}}", "{{&v}}", "{{concat v}}"]) {
          const of = (v: string): string => {
            const raw = { html: place.replaceAll("V", mark) }
            return render(elements({ type: "channel", channel: "email", raw }), {
              channel: "email",
              data: { v, l: [v, v] }
            }).html
          }
          const html = of(value)
          assert.strictEqual(skeleton(html), skeleton(of("x")), `${place} ${value}\n${html}`)
          const { code, elements: found } = dom(html)
          for (const { attributes, name } of found) {
            for (const [key, said] of attributes) {
              if (key.startsWith("on")) assert.match(said, /^(?:f\(')?[A-Za-z0-9 #%.,_-]*(?:'\))?$/, html)
              if (/^(?:href|src|action|formaction|xlink:href|data|background)$/.test(key))
                assert.notMatch(said.replaceAll(/[\s\0\ufeff]/g, ""), /^(?:javascript|data|vbscript):/i, html)
              if (key === "srcdoc") assert.notInclude(said, "<")
            }
            if (!/<svg|SCRIPT|script/.test(place)) assert.notInclude(["script", "svg"], name, html)
          }
          assert.notMatch(code, /alert\(/, html)
        }
      }
    }
  })

  it.effect.prop(
    "an address put together of values runs no code, however they share it and however much of it browsers drop",
    { choices: Choices },
    ({ choices }) =>
      Effect.sync(() => {
        const { below, from } = chooser(choices)
        const dropped = () => from([" ", "\t", "\n", "\u0001"]).repeat(from([1, 3, 300]))
        const values = Array.from(
          { length: 1 + below(6) },
          () => from(["java", "script", ":", "javascript:alert(1)", "data:text/html,x", "script:alert(1)", dropped()])
        )
        const own = from(["", "", "java", dropped(), `${dropped()}java`])
        const parts = values.map((_, at) => `{{l.${at}}}${from(["", "", "{{!}}", "\n"])}`).join("")
        const quote = from(["\"", "'"])
        const html = `<a href=${quote}${own}${parts}${quote}>x</a>`
        const said = render(elements({ type: "html", content: html }), { channel: "email", data: { l: values } }).html
        const addresses = dom(said).elements.flatMap(({ attributes }) => attributes.get("href") ?? [])
        for (const address of addresses) {
          const { protocol } = new URL(address, "https://x.io")
          assert.notInclude(["javascript:", "data:", "vbscript:"], protocol, JSON.stringify([html, values]))
        }
        assert.isNotEmpty(addresses)
      }),
    { arbitrary: { runs: 400, size: 40 } }
  )

  it("reads the author's HTML in time linear in its length", () => {
    const parts = [
      "<",
      "<a ",
      "<a b=\"",
      "<!--",
      "<script>",
      "</",
      "<a b=c ",
      "{{v}}<p>",
      "= ",
      "<a {{v}}=\"{{v}}\">",
      "x<y>z&"
    ]
    for (const part of parts) {
      const html = part.repeat(Math.min(9_000, Math.floor(500_000 / part.length)))
      const content = elements({ type: "html", content: html })
      assertQuick(() => attempt(content, { channel: "email", data: { v: "\"<" } }), part)
    }
  })

  it("reads a name that does not end in time linear in its length, however it comes", () => {
    const many = Array.from({ length: 9_000 }, () => 1)
    const content = elements({
      type: "html",
      content: `<a{{#each many}}${`${"b".repeat(20)}{{!}}`.repeat(4)}{{/each}}`
    })
    assert.include(render(content, { channel: "email", data: { many } }).html, "b".repeat(80 * many.length))
    assertQuick(() => attempt(content, { channel: "email", data: { many } }), "name")
  })

  it("data may be a number in the name of an element, no more", () => {
    const of = (v: string): string => {
      const raw = { html: "<h{{v}}>x</h{{v}}><{{v}}>y" }
      return render(elements({ type: "channel", channel: "email", raw }), { channel: "email", data: { v } }).html
    }
    assert.strictEqual(of("2"), "<h2>x</h2><>y")
    for (const value of hostile) assert.match(of(value), /^<h(\d*)>x<\/h\1><>y$/)
  })

  it("what the author wrote stays as it is", () => {
    const html =
      "<!doctype html><html><head><style>a{b:c}</style></head><body onload=\"x()\"><!-- c --><a href='#top'>1 < 2</a></body></html>"
    assert.strictEqual(
      render(elements({ type: "channel", channel: "email", raw: { html } }), { channel: "email" }).html,
      html
    )
  })

  it("always has a text, and a first line that tells what it is about", () => {
    const content = elements(
      { type: "image", src: "https://x.io/logo.png", alt_text: "Logo" },
      { type: "text", text_style: "h1", content: "Hello **{{v}}**" },
      { type: "action", content: "Open", href: "https://x.io/{{v}}" },
      { type: "action", content: "Bad", href: "javascript:{{v}}" }
    )
    const { html, text } = render(content, { channel: "email", data: json("{\"v\":\"A&B\"}") })
    assert.strictEqual(text, "Logo\n\nHello A&B\n\nOpen: https://x.io/A&B\n\nBad")
    assert.match(html, /<div style="display:none[^"]*">Hello A&amp;B /)
    assert.match(
      html,
      /<td align="center" bgcolor="#2563eb"[^>]*><a href="https:\/\/x\.io\/A&amp;B"[^>]*color:#ffffff[^>]*>Open<\/a>/
    )
  })
})
