import { Choices, chooser } from "#test/src/content/Choices.ts"
import { dom, skeleton } from "#test/src/content/Dom.ts"
import { hostile } from "#test/src/content/Hostile.ts"
import { assertQuick, attempt, elements, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("An author's own HTML", () => {
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
})
