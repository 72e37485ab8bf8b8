import { Choices, chooser, type Chooser } from "#test/src/content/Choices.ts"
import { dom } from "#test/src/content/Dom.ts"
import { hostile } from "#test/src/content/Hostile.ts"
import { attempt, elements, json, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

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
