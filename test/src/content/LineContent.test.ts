import { dom } from "#test/src/content/Dom.ts"
import { body, elements, render, text } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

describe("What stands in a line", () => {
  it("never lets data become a header, or markdown", () => {
    for (
      const value of [
        "**bold** _it_ ~~no~~ `c`",
        "[click](javascript:alert(1))",
        "](x)",
        "&lt;b&gt;",
        "{{messageId}}",
        "![i](x)"
      ]
    )
      assert.strictEqual(body("{{v}}", { data: { "v": value } }), value)
    assert.strictEqual(render({ title: "a{{v}}", body: "" }, { data: { "v": "\r\nBcc: x" } }).title, "a Bcc: x")
    assert.strictEqual(render({ title: "a\r\nBcc: x", body: "b" }, { channel: "email" }).subject, "a Bcc: x")
    assert.strictEqual(body("a{{v}}", { channel: "sms", data: { "v": "\u0000\u001b[1m\u007f\nb" } }), "a[1m\nb")
  })

  it("drops addresses that could run code", () => {
    const unsafe = [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "java\nscript:alert(1)",
      "\u0001javascript:1",
      "data:text/html,x",
      "vbscript:x",
      "blob:x",
      "file:///etc/passwd",
      "javascript://%0aalert(1)",
      "\tJava\tScript://x/%0aalert(1)",
      "data://text/html,x",
      "chrome://settings",
      "view-source:https://x.io",
      "x:y"
    ]
    for (const href of unsafe) {
      const link = { type: "text", elements: [{ type: "link", content: "l", href }] }
      const email = render(elements({ type: "action", content: "Go", href }, link), { channel: "email" })
      assert.notInclude(email.html, "href", href)
      assert.notInclude(email.text, href.trim(), href)
      assert.deepStrictEqual(render(elements({ type: "action", content: "Go", href })).actions, [], href)
    }
    for (const href of ["https://x.io", "http://x", "mailto:a@b.c", "tel:+1", "/path?x=a:b", "#top"]) {
      assert.include(
        render(elements({ type: "action", content: "Go", href }), { channel: "email" }).html,
        `href="${href}"`
      )
    }
  })

  it("keeps addresses of apps wherever a reader can follow them, with data in them", () => {
    const given = { data: { id: 7, u: "myapp://orders/8" } }
    const href = "myapp://orders/{{id}}"
    const content = elements({ type: "action", content: "Go", href }, text("[l](whatsapp://send?n={{id}}) [m]({{u}})"))
    const { html, text: letter } = render(content, { channel: "email", ...given })
    const seen = dom(html).elements.flatMap(({ attributes }) => attributes.get("href") ?? [])
    assert.deepStrictEqual(seen, ["myapp://orders/7", "whatsapp://send?n=7", "myapp://orders/8"])
    assert.strictEqual(letter, "Go: myapp://orders/7\n\nl (whatsapp://send?n=7) m (myapp://orders/8)")
    assert.deepStrictEqual(render(content, given).actions, [{ content: "Go", href: "myapp://orders/7" }])
    assert.include(render(content, { channel: "sms", ...given }).text, "l (whatsapp://send?n=7)")
    const own = render(elements({ type: "html", content: "<a href='{{u}}'>l</a>" }), { channel: "email", ...given })
    assert.strictEqual(own.text, "l (myapp://orders/8)")
  })

  it("reads markdown where it is whole and leaves the rest", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      [
        "**a** *b* _c_ __d__ ~~e~~ `f`",
        "<strong>a</strong> <em>b</em> <em>c</em> <strong>d</strong> <del>e</del> <code>f</code>"
      ],
      ["***a*** **b *c* d**", "<strong><em>a</em></strong> <strong>b <em>c</em> d</strong>"],
      ["2 * 3 * 4, snake_case_name, *open, **open", "2 * 3 * 4, snake_case_name, *open, **open"],
      ["\\*a\\* [l](https://x) [not] (a)", "*a* <a href=\"https://x\">l</a> [not] (a)"],
      ["*a **b* c**", "<em>a **b</em> c**"],
      ["a\nb", "a<br>\nb"]
    ]
    for (const [source, html] of texts) {
      const seen = render({ body: source }, { channel: "email" }).html.replaceAll(/ (?:class|style)="[^"]*"/g, "")
      assert.include(seen, `<p>${html}</p>`)
    }
    assert.strictEqual(body("**a** [l](https://x) `b` ~~c~~"), "a l (https://x) b c")
  })

  it("a link stays a link whatever the data in it is", () => {
    const source = "[See {{v}}](https://x.io/a?n={{v}}&m={{w}}) ![{{v}}](https://x.io/{{v}}.png) {{v}} (b)"
    const shown = (v: string) =>
      /<p[^>]*>(.*?)<\/p>/s.exec(
        render({ body: source }, { channel: "email", data: { v, w: 1 } }).html.replaceAll(
          / (?:class|style|border)="[^"]*"/g,
          ""
        )
      )?.[1]
    for (
      const [v, said, address] of [
        ["Ada Lovelace", "Ada Lovelace", "Ada%20Lovelace"],
        ["a\nb", "a\nb", "a%0Ab"],
        ["](b) [c](d)", "](b) [c](d)", "](b)%20[c](d)"],
        ["", "", ""]
      ] as const
    ) {
      const html = shown(v)?.replaceAll("<br>", "")
      assert.include(html, `<a href="https://x.io/a?n=${address}&amp;m=1">See ${said}</a>`)
      assert.include(html, `src="https://x.io/${address}.png"`)
      assert.isTrue(html?.endsWith(`${said} (b)`), html)
    }
    // What trims takes an edge of the value with it.
    assert.strictEqual(
      body("[l](https://x.io/{{#trim}}a{{v}} {{/trim}}) {{v}} (c) [m](https://x.io/{{#trim}} {{v}}b{{/trim}})", {
        data: { v: "1" }
      }),
      "l (https://x.io/a1) 1 (c) m (https://x.io/1b)"
    )
  })
})
