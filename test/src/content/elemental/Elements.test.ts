import { elements, failure, json, type Piece, render, text } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

describe("Elements", () => {
  it("chooses by locale: the exact one, its language, else the default", () => {
    const content = elements(
      { type: "meta", title: "Hello", locales: { fr: { title: "Bonjour" } } },
      text("colour", {
        locales: { "en-US": { content: "color" }, de: { content: "Farbe" }, "fr-CA": { content: "couleur" } }
      }),
      {
        type: "action",
        content: "Go",
        href: "https://x.io",
        locales: { de: { content: "Los", href: "https://x.io/de" } }
      },
      { type: "text", elements: [{ type: "string", content: "bye", locales: { de: { content: "tschüss" } } }] }
    )
    const seen = (locale: string | null) => {
      const { actions, body, title } = render(content, { profile: { locale } })
      return [title, ...body.split("\n"), actions[0]?.content]
    }
    assert.deepStrictEqual(seen("en-US"), ["Hello", "color", "bye", "Go"])
    assert.deepStrictEqual(seen("en_us"), ["Hello", "color", "bye", "Go"])
    assert.deepStrictEqual(seen("en-GB"), ["Hello", "colour", "bye", "Go"])
    assert.deepStrictEqual(seen("de_AT"), ["Hello", "Farbe", "tschüss", "Los"])
    assert.deepStrictEqual(seen("fr"), ["Bonjour", "colour", "bye", "Go"])
    const other = elements(text("Hi", { locales: { de: { type: "divider", content: "Hallo" } } }))
    assert.strictEqual(render(other, { profile: { locale: "de" } }).body, "Hallo")
    assert.deepStrictEqual(seen("constructor"), ["Hello", "colour", "bye", "Go"])
    assert.deepStrictEqual(seen(null), ["Hello", "colour", "bye", "Go"])
    assert.include(
      render(content, { channel: "email", profile: { locale: "ar_EG" } }).html,
      "<html lang=\"ar-EG\" dir=\"rtl\">"
    )
    assert.include(
      render(content, { channel: "email", profile: { locale: "ps" } }).html,
      "<html lang=\"ps\" dir=\"rtl\">"
    )
    assert.include(render(content, { channel: "email", profile: { locale: "\"><script>" } }).html, "<html>\n")
  })

  it("a locale's one text stands in place of an element's pieces", () => {
    const said = (type: string, content: string) => ({
      type,
      elements: [{ type: "string", content: "Hello " }, { type: "string", content: "you" }],
      locales: { de: { content }, fr: { elements: [{ type: "string", content: "salut" }] }, it: { align: "center" } }
    })
    const content = elements(said("text", "**Hallo**"), {
      type: "list",
      elements: [said("list-item", "du")]
    })
    const seen = (locale: string) => render(content, { profile: { locale } }).body
    assert.deepStrictEqual(["de", "fr", "it", "en"].map(seen), [
      "Hallo\n- du",
      "salut\n- salut",
      "Hello you\n- Hello you",
      "Hello you\n- Hello you"
    ])
  })

  it("an item's pieces are a paragraph, beside blocks of its own", () => {
    const string = (content: string): Piece => ({ type: "string", content })
    const item = (...elements: ReadonlyArray<Piece>): Piece => ({ type: "list-item", elements })
    const content = elements({
      type: "list",
      elements: [
        item(string("one "), { type: "link", content: "there", href: "https://x.io" }),
        item(string("two"), { type: "list", elements: [item(string("deeper"))] }),
        item(text("three"))
      ]
    })
    assert.strictEqual(render(content).body, "- one there (https://x.io)\n- two\n  - deeper\n- three")
  })

  it("lists, their items and loops over them", () => {
    const data = json("{\"items\":[{\"n\":\"tea\",\"q\":2,\"of\":[\"a\",\"b\"]},{\"n\":\"pot\",\"q\":0,\"of\":[]}]}")
    const content = elements({
      type: "list",
      list_type: "ordered",
      elements: [
        { type: "list-item", loop: "items", if: "$.item.q > 0", content: "{{$.index}} {{$.item.n}}" },
        {
          type: "list-item",
          loop: "data.items",
          elements: [text("**{{$.item.n}}**"), {
            type: "list",
            if: "$.item.of.length > 0",
            elements: [{ type: "list-item", loop: "$.item.of", content: "{{$.item}}" }]
          }]
        }
      ]
    })
    assert.strictEqual(render(content, { data }).body, "1. 0 tea\n2. tea\n   - a\n   - b\n3. pot")
    const { html } = render(content, { channel: "email", data })
    assert.match(
      html,
      /<ol [^>]*><li [^>]*>0 tea<\/li><li [^>]*><strong>tea<\/strong><div[^>]*><ul [^>]*><li [^>]*>a<\/li>/
    )
  })

  it("a loop's path may be in braces, as in an example of the compatible service's documentation", () => {
    const content = elements({ ...text("{{$.item}}"), loop: "{{items}}" }, { ...text("no"), loop: "{{a}}{{b}}" })
    assert.strictEqual(render(content, { data: { items: ["tea", "pot"] } }).body, "tea\npot")
  })

  it("refuses lists in more than five lists", () => {
    const nested = (depth: number): Piece => ({
      type: "list",
      elements: [{ type: "list-item", elements: depth === 1 ? [text("deep")] : [nested(depth - 1)] }]
    })
    assert.include(render(elements(nested(5))).body, "- - - - - deep")
    assert.strictEqual(failure(elements(nested(6))), "Lists are nested more than 5 deep")
  })

  it("columns one after the other in text and side by side in HTML", () => {
    const content = elements({
      type: "columns",
      elements: [
        { type: "column", width: "30%", elements: [text("left")] },
        { type: "column", if: "data.no", elements: [text("hidden")] },
        { type: "column", width: "expression(alert(1))", elements: [text("right"), { type: "divider" }] }
      ]
    })
    const email = render(content, { channel: "email" })
    assert.strictEqual(email.text, "left\n\nright\n\n----------")
    assert.match(
      email.html,
      /<td class="col" valign="top" width="30%" style="width:30%;[\s\S]*<td class="col" valign="top" width="70%"/
    )
  })

  it("references to what stands before, each with its text and whether it is shown", () => {
    const content = elements(
      text("one {{n}}", { ref: "a" }),
      { type: "list", ref: "l", elements: [{ type: "list-item", content: "x" }, { type: "list-item", content: "y" }] },
      { type: "group", ref: "g", if: "false", elements: [text("no")] },
      { type: "action", ref: "go", content: "Go {{n}}", href: "https://x.io", channels: ["inbox"] },
      text(
        "{{refs.a.content}}|{{refs.a.type}}|{{refs.l.content}}|{{refs.g.visible}}|{{refs.go.visible}}|{{refs.later.visible}}"
      ),
      text("later", { ref: "later", if: "refs.go.visible" })
    )
    assert.strictEqual(
      render(content, { data: { n: 1 } }).body,
      "one 1\n- x\n- y\none 1|text|- x\n- y|false|true|\nlater"
    )
    assert.notInclude(render(content, { channel: "sms" }).body, "later\n")
  })

  it("references say what the reader saw: an element's texts filled in, in the reader's language", () => {
    const content = elements(
      { type: "meta", ref: "m", title: "Order {{n}}" },
      {
        type: "action",
        ref: "go",
        content: "Go {{n}}",
        href: "https://x.io/{{n}}",
        locales: { de: { content: "Los {{n}}", href: "https://x.io/de/{{n}}" } }
      },
      { type: "image", ref: "i", src: "https://x.io/{{n}}.png", alt_text: "no {{n}}" },
      text("{{refs.m.title}}|{{refs.go.href}}|{{refs.i.src}}|{{refs.i.alt_text}}"),
      text("yes", { if: "refs.go.href == 'https://x.io/de/1'" })
    )
    const seen = (locale: string) => render(content, { data: { n: 1 }, profile: { locale } }).body
    assert.strictEqual(seen("en"), "Order 1|https://x.io/1|https://x.io/1.png|no 1")
    assert.strictEqual(seen("de"), "Order 1|https://x.io/de/1|https://x.io/1.png|no 1\nyes")
  })

  it("names what a template sets for the elements after it", () => {
    const content = elements(text("{{set \"who\" (capitalize name)}}Hi {{who}}"), text("Bye {{who}}"))
    assert.strictEqual(render(content, { data: { name: "ada" } }).body, "Hi Ada\nBye Ada")
  })

  it("formats text by its members", () => {
    const content = elements(
      text("a", { bold: true, italic: "true", underline: false, color: "#f00", align: "center", text_style: "h2" }),
      {
        type: "text",
        elements: [{ type: "link", content: "l", href: "https://x.io", strikethrough: true, color: "red;x:y" }]
      },
      text("b", { bold: "{{big}}" })
    )
    const { html } = render(content, { channel: "email", data: { big: true } })
    assert.match(
      html,
      /<h2 style="margin:0;text-align:center;[^"]*"><span style="color:#f00"><strong><em>a<\/em><\/strong><\/span><\/h2>/
    )
    assert.match(html, /<del><a [^>]*>l<\/a><\/del>/)
    assert.include(html, "<strong>b</strong>")
    assert.notInclude(html, "x:y")
  })

  it("an action whose label says nothing has its address for one, in every channel; without either it is none", () => {
    const action = { type: "action", content: "{{label}}", href: "{{href}}" }
    const seen = (content: Piece, data: object) => {
      const of = (channel: string, provider = channel) =>
        render(elements(text("x"), content), { channel, provider, data: json(JSON.stringify(data)) })
      return {
        mail: [...of("email").html.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, label]) => label),
        letter: of("email").text,
        actions: of("inbox").actions,
        sms: of("sms").body,
        slack: JSON.stringify(of("direct_message", "slack").native).match(/"url":"[^"]*"/g)?.length ?? 0,
        teams: JSON.stringify(of("direct_message", "msteams").native).match(/"url":"[^"]*"/g)?.length ?? 0
      }
    }
    const href = "https://x.io/a"
    for (const label of ["", " \n", null]) {
      for (const style of ["button", "link"]) {
        assert.deepStrictEqual(seen({ ...action, style }, { label, href }), {
          mail: [href],
          letter: `x\n\n${href}`,
          actions: [{ content: href, href }],
          sms: `x\n${href}`,
          slack: 1,
          teams: 1
        })
        for (const bad of ["", "javascript:x"]) {
          assert.deepStrictEqual(seen({ ...action, style }, { label, href: bad }), {
            mail: [],
            letter: "x",
            actions: [],
            sms: "x",
            slack: 0,
            teams: 0
          })
        }
      }
    }
  })
})
