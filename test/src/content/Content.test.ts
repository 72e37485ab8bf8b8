import { assertQuick, body, elements, failure, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Content", () => {
  it("gives each channel the parts that it sends", () => {
    const content = {
      title: "Hi {{name}}",
      body: "Your **code** is {{code}} & done",
      elements: [{ type: "action", content: "Go", href: "https://x.io/?a=1&b={{code}}" }]
    }
    const data = { "name": "Ada", "code": 7 }
    assert.deepStrictEqual(render(content, { data }), {
      title: "Hi Ada",
      subject: "",
      body: "Your code is 7 & done",
      text: "Your code is 7 & done",
      html: "",
      blocks: [],
      actions: [{ content: "Go", href: "https://x.io/?a=1&b=7" }]
    })
    const sms = render(content, { data, channel: "sms" })
    assert.deepStrictEqual([sms.title, sms.text, sms.actions], [
      "",
      "Your code is 7 & done\nGo: https://x.io/?a=1&b=7",
      []
    ])
    const email = render(content, { data, channel: "email" })
    assert.deepStrictEqual([email.title, email.subject, email.text], [
      "",
      "Hi Ada",
      "Your code is 7 & done\n\nGo: https://x.io/?a=1&b=7"
    ])
    assert.include(email.html, "<title>Hi Ada</title>")
    assert.include(email.html, ">Your <strong>code</strong> is 7 &amp; done</p>")
    assert.match(email.html, /<a href="https:\/\/x\.io\/\?a=1&amp;b=7" [^>]*>Go<\/a>/)
    assert.strictEqual(render({ title: "Only a title" }, { channel: "sms" }).text, "Only a title")
  })

  it("finds the roots of a template", () => {
    const data = { "first_name": "Ada", "recipient": "mine", "user": { "tags": ["a", "b"] }, "data": "key" }
    const profile = { "email": "a@b.c" }
    const seen = (path: string): string => body(`{{${path}}}`, { data, profile })
    assert.deepStrictEqual(
      [
        "first_name",
        "data.first_name",
        "profile.email",
        "$.profile.email",
        "messageId",
        "recipient",
        "$.recipient",
        "tenant.id",
        "$.tenant.id",
        "courier.environment",
        "user.tags.[1]",
        "user.tags",
        "missing.deeper",
        "profile.missing"
      ]
        .map(seen),
      ["Ada", "Ada", "a@b.c", "a@b.c", "1-2-3", "mine", "ada", "acme", "acme", "test", "b", "a,b", "", ""]
    )
  })

  it("fills in the short form of a path, {$.path}, and leaves other braces alone", () => {
    const data = { "n": 1, "list": ["a", "b"], "mark": "{$.data.n}" }
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["{$.tenant.name}, {$.data.n}{$.data.n}: {$.profile.none}.", "Acme Ltd, 11: ."],
      ["{{data.n}}{$.urls.unsubscribe}{{data.n}}", "1https://x.io/u1"],
      ["{{default missing \"{$.data.n}\"}}", "{$.data.n}"],
      [
        "{n} {data.n} {$} {$.} {$.data.} {$.data n} { $.data.n} ${n} {\"$.n\": 1}",
        "{n} {data.n} {$} {$.} {$.data.} {$.data n} { $.data.n} ${n} {\"$.n\": 1}"
      ],
      // Data is data, and a backslash takes the meaning away as it does of the long form.
      ["{{mark}} {$.data.mark}", "{$.data.n} {$.data.n}"],
      ["\\{$.data.n}", "{$.data.n}"]
    ]
    for (const [source, said] of examples) assert.strictEqual(body(source, { data }), said, source)
    assert.strictEqual(render({ title: "{$.data.n}", body: "x" }, { data }).title, "1")
    const looped = elements({ type: "text", content: "{$.item}{$.index}", loop: "data.list" })
    assert.strictEqual(render(looped, { data }).body, "a0\nb1")
  })

  it("where the template says so a variable that is not there fails the rendering", () => {
    const data = { "n": null, "zero": 0, "empty": "", "o": { "a": 1 } }
    const strict = (source: string): string => failure({ title: "t", body: source }, { data, throwing: true })
    for (const source of ["{{missing}}", "a {{o.b}}", "{{#with o}}{{b}}{{/with}}", "{{var \"o.b\"}}", "{$.data.o.b}"])
      assert.match(strict(source), /^The variable "[$a-z.]+" was not found$/, source)
    const held =
      "{{n}}{{zero}}{{empty}}{{o.a}}{{#if missing}}{{missing}}{{/if}}{{default missing \"x\"}}{{path \"missing\"}}"
    assert.strictEqual(strict(held), "rendered")
    assert.strictEqual(body("[{{missing}}{{var \"o.b\"}}{$.data.o.b}]", { data }), "[]")
    const parted = elements(
      { type: "text", content: "{{missing}}", channels: ["email"] },
      { type: "text", content: "fine" }
    )
    assert.strictEqual(failure(parted, { data, throwing: true, channel: "sms" }), "rendered")
    assert.include(failure(parted, { data, throwing: true, channel: "email" }), "missing")
  })

  it.effect.prop(
    "data is left alone in text and is only text in HTML",
    { value: Schema.String },
    ({ value }) =>
      Effect.sync(() => {
        // Characters that Unicode keeps for a program's inner use are dropped.
        const kept = value.replaceAll(/[\uFDD0-\uFDEF]/g, "")
        for (const source of ["{{v}}", "*{{v}}*", "**a {{v}}**", "~~_{{v}}_~~", "{{{v}}}", "{{#if v}}{{v}}{{/if}}"]) {
          const data = { "v": value }
          const expected = source.startsWith("**a") ? `a ${kept}` : kept
          assert.strictEqual(body(source, { data }), expected)
        }
      })
  )

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

  it("shows elements by channel, condition, loop and reference", () => {
    const content = elements(
      { type: "meta", title: "Hidden", if: "data.no" },
      { type: "meta", title: "Order {{id}}" },
      { type: "meta", title: "Late" },
      { type: "text", content: "all", ref: "first" },
      { type: "text", content: "mail only", channels: ["email"] },
      { type: "text", content: "vendor", channels: ["sendgrid"] },
      { type: "text", content: "{{$.index}}: {{$.item.n}} of {{id}}", loop: "data.items", if: "$.item.n > 1" },
      {
        type: "group",
        loop: "items",
        elements: [{ type: "text", content: "{{$.item.n}}{{#each $.item.t}}{{this}}{{/each}}" }]
      },
      { type: "text", content: "no", if: "data.no", ref: "second" },
      {
        type: "text",
        content: "refs {{refs.first.content}} {{refs.second.visible}}",
        if: "refs.first.visible && !refs.second.visible && !refs.third"
      },
      { type: "divider" },
      { type: "quote", content: "said" },
      { type: "from-the-future", content: "skipped" },
      { type: "text", content: "{{missing}}" }
    )
    const data = { "id": 9, "no": false, "items": [{ "n": 1, "t": [] }, { "n": 2, "t": ["x", "y"] }] }
    assert.deepInclude(render(content, { data }), {
      title: "Order 9",
      body: "all\n1: 2 of 9\n1\n2xy\nrefs all false\nsaid"
    })
    const email = render(content, { data, channel: "email", provider: "sendgrid" })
    assert.include(email.text, "mail only\n\nvendor")
    assert.include(email.text, "----------\n\n> said")
    const parts = elements(
      { type: "channel", channel: "default", elements: [{ type: "text", content: "d" }] },
      { type: "channel", channel: "sms", elements: [{ type: "text", content: "s" }] }
    )
    assert.deepStrictEqual([render(parts).body, render(parts, { channel: "sms" }).body], ["d", "s"])
  })

  it("says what is wrong with content that cannot be rendered", () => {
    assert.strictEqual(failure({ body: "a {{name" }), "The template is malformed at character 3: a tag does not end")
    assert.strictEqual(
      failure(elements({ type: "text", content: { a: 1 } })),
      "The \"content\" of an element of type \"text\" is not a text"
    )
    assert.strictEqual(
      failure(elements({ type: "text", content: "a", if: "data." })),
      "Invalid condition at character 6: expected a name instead of the end"
    )
    assert.strictEqual(
      failure(elements({ type: "text", content: "a", loop: "id" }), { data: { "id": 1 } }),
      "The loop over \"id\" needs a list"
    )
  })

  it("ends bombs as failures, quickly", () => {
    const many = Array.from({ length: 3_000 }, (_, n) => n)
    const data = { "many": many, "big": "x".repeat(100_000) }
    const nested = (depth: number): Piece =>
      depth === 0 ? { type: "text", content: "x" } : { type: "group", loop: "many", elements: [nested(depth - 1)] }
    assert.match(failure(elements(nested(7)), { data }), /more than 10000 turns/)
    assert.match(
      failure(elements({ type: "text", content: "{{big}}", loop: "many" }), { data }),
      /more than 1048576 characters/
    )
    assert.match(failure({ body: "**a** ".repeat(100_000) }), /more than 50000 steps/)
    assert.match(failure({ body: "{{marks}}" }, { data: { "marks": "*_".repeat(100_000) } }), /more than 50000 steps/)
    assert.match(failure({ body: "x".repeat(1_048_577) }), /more than 1048576 characters/)
    assert.match(failure({ body: "<".repeat(400_000) }, { channel: "email" }), /characters of HTML/)
    assert.match(
      failure(elements({ type: "text", content: "x", loop: "many", if: "data.big.includes('y')" }), { data }),
      /too much data/
    )
    const deep = Array.from({ length: 40 }).reduce<Piece>(
      (inner) => ({ type: "group", elements: [inner] }),
      { type: "text", content: "x" }
    )
    assert.match(failure(elements(deep)), /nested more than 32 deep/)
  })

  it("what an element's own members hold is gone over once, or paid for at every turn", () => {
    const many = Array.from({ length: 3_000 }, (_, n) => n)
    const words = Array.from({ length: 20_000 }, (_, n) => `w${n}`)
    const given = { data: { many }, profile: { locale: "de-AT" } }
    const inLoop = (piece: object): Piece => ({
      type: "group",
      loop: "many",
      elements: [{ type: "text", content: "", ...piece }]
    })
    const locales = { ...Object.fromEntries(words.map((word) => [word, {}])), "de": { content: "" } }
    const wide = { ref: "r", ...Object.fromEntries(words.map((word) => [word, 1])) }
    const cases: ReadonlyArray<readonly [Piece, RegExp]> = [
      [inLoop({ locales }), /^rendered$/],
      [inLoop({ channels: words }), /looks through more/],
      [inLoop({ loop: "many.".repeat(20_000) }), /looks through more/],
      [inLoop(wide), /looks through more/],
      [inLoop({ ...wide, if: "false" }), /looks through more/],
      [{ type: "group", loop: "many", elements: Array.from({ length: 20_000 }, () => ({})) }, /looks through more/]
    ]
    for (const [piece, detail] of cases) {
      const said = JSON.stringify(piece).slice(0, 80)
      assert.match(failure(elements(piece), given), detail, said)
      assertQuick(() => failure(elements(piece), given), said)
    }
  })

  it("templates that are too long to be remembered are paid for at every turn", () => {
    const data = { "many": Array.from({ length: 100 }, (_, n) => n) }
    const long = `{{#if no}}${"{{a}}".repeat(9_000)}${"x".repeat(1_100_000)}{{/if}}`
    const once = elements({ type: "text", content: long })
    const often = elements({ type: "text", content: long, loop: "many" })
    assert.strictEqual(failure(once, { data }), "rendered")
    assert.match(failure(often, { data }), /looks through more/)
    assertQuick(() => failure(often, { data }), "too long to be remembered")
  })
})
