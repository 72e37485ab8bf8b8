import { Element } from "#schemas/Elemental.ts"
import * as GoingLive from "#src/content/GoingLive.ts"
import { isWritten } from "#src/content/Elemental.ts"
import { type Chooser, chooser } from "#test/src/content/Choices.ts"
import { assertQuick, attempt } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"

/** As many as an element of each kind takes: fewer would always make the simplest. */
const Choices = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999 }))),
  { minLength: 100, maxLength: 100 }
)

const refusalOf = (elements: ReadonlyArray<Element>): string | undefined => {
  const checked = Effect.runSync(Effect.result(GoingLive.checked({ elements })))
  return Result.isFailure(checked) ? `${checked.failure.path}: ${checked.failure.detail}` : undefined
}

const places = ["email", "sms", "push", "inbox", "webhook", "direct_message"].flatMap((channel) =>
  ["other", "one", "slack", "msteams"].map((provider) => ({ channel, provider }))
)
const profiles = [{}, { locale: "fr" }, { locale: "fr-CA" }, { locale: "de" }]

/** Every loop has turns, and every condition holds; those at the top may each fail, so that another part is shown. */
const dataOf = (elements: ReadonlyArray<Element>): ReadonlyArray<Schema.JsonObject> =>
  elements.reduce<ReadonlyArray<Schema.JsonObject>>(
    (all, element, index) =>
      JSON.stringify(element).includes(`data.on${index}`)
        ? all.flatMap((known) => [true, false].map((held) => ({ ...known, [`on${index}`]: held })))
        : all,
    [{ on: true, items: [1], other: [1], 1: [1] }]
  )

/** How some rendering of the content fails, of those for all audiences and data. */
const failureOf = (elements: ReadonlyArray<Element>): string | undefined => {
  for (const { channel, provider } of places) {
    if (!isWritten({ elements }, { channel, providers: [provider] })) continue
    for (const profile of profiles) {
      for (const data of dataOf(elements)) {
        const rendered = attempt({ elements }, { channel, provider, data, profile })
        if (Result.isFailure(rendered) && rendered.failure.detail !== "MJML is not compiled here")
          return rendered.failure.detail
      }
    }
  }
  return undefined
}

const types = ["text", "quote", "action", "image", "divider", "html", "group", "columns", "column", "list"] as const
const others = ["list-item", "meta", "string", "link", "img", "comment", "jsonnet", "unknown"] as const
const keys = ["content", "title", "href", "src", "alt_text", "altText", "align", "width", "color"] as const
const moreKeys = ["background_color", "border_color", "borderColor", "bold", "disable_tracking", "imgSrc"] as const
const texts = ["", "words", "[]", "Hi {{name}}", "{{#if name}}{{name}}{{/if}}", "{$.data.name}", "\\{{raw"] as const
const malformed = ["Hi {{#if name}}{{name}}", "{{nosuch a b}}", "{{/each}}"] as const
const conditions = ["false", "true", "", false, true, "data.on ==", "= 1", 1, null] as const

const textBy = (choose: Chooser): Schema.Json => choose.below(7) === 6 ? choose.from(malformed) : choose.from(texts)

const rawBy = (choose: Chooser): Schema.JsonObject => ({
  [choose.from(["subject", "html", "text", "body"])]: textBy(choose),
  deep: [{ text: textBy(choose) }]
})

const fieldsBy = (choose: Chooser, depth: number, on: string): Schema.JsonObject => ({
  ...Object.fromEntries(
    Array.from({ length: choose.below(3) }, () => [choose.from([...keys, ...moreKeys, "imgHref"]), textBy(choose)])
  ),
  ...(choose.below(9) === 0 ? { if: choose.below(2) === 0 ? on : choose.from<Schema.Json>(conditions) } : {}),
  ...(choose.below(8) === 0 ? { loop: choose.from(["data.items", "other", "{{items}}", "$.data.items", 1]) } : {}),
  ...(choose.below(8) === 0
    ? { channels: choose.from([[], ["email"], ["sms", "one"], ["slack"], ["email", "push"]]) }
    : {}),
  ...(choose.below(8) === 0 ? { format: "markdown" } : {}),
  ...(choose.below(8) === 0 ? { ref: "r" } : {}),
  ...(depth < 3 && choose.below(3) > 0
    ? { elements: Array.from({ length: choose.below(4) }, () => elementBy(choose, depth + 1)) }
    : {})
})

const elementBy = (choose: Chooser, depth = 0, on = "data.on"): Element => ({
  type: choose.from([...types, ...others]),
  ...fieldsBy(choose, depth, on),
  ...(choose.below(5) === 0
    ? { locales: { [choose.from(["fr", "fr_CA", "fr-ca", "de", "no locale"])]: fieldsBy(choose, depth + 1, on) } }
    : {})
})

const topBy = (choose: Chooser, index: number): Element => {
  const element = elementBy(choose, 0, `data.on${index}`)
  if (choose.below(3) > 0) return element
  const channel = choose.from(["email", "sms", "slack", "default", "email"])
  return { ...element, type: "channel", channel, ...(choose.below(3) === 0 ? { raw: rawBy(choose) } : {}) }
}

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Element)))

/** Content as it comes: through JSON. */
const contentBy = (choose: Chooser): ReadonlyArray<Element> =>
  decode(JSON.stringify(Array.from({ length: 1 + choose.below(3) }, (_, index) => topBy(choose, index))))

describe("Content that goes live", () => {
  it.prop(
    "is refused if and only if some rendering of it fails, for any channel, provider, locale and data",
    { choices: Choices },
    ({ choices }) => {
      const elements = contentBy(chooser(choices))
      const failed = failureOf(elements)
      const refused = refusalOf(elements)
      assert.strictEqual(
        refused === undefined,
        failed === undefined,
        `${JSON.stringify(elements)}: ${refused}, ${failed}`
      )
    },
    { arbitrary: { runs: 1500 } }
  )

  it("the refusal names the place, and says what the parser does", () => {
    const text = (content: string, more: object = {}) => ({ type: "text", content, ...more })
    const open = "Hi {{#if name}}{{name}}"
    const isOpen = `The template is malformed: "if" is not closed`
    const cases: ReadonlyArray<readonly [Element, string]> = [
      [text(open), `content: ${isOpen}`],
      [{ type: "group", elements: [text("x"), text(open)] }, `elements[1].content: ${isOpen}`],
      [text("x", { locales: { fr: { content: open } } }), `locales.fr.content: ${isOpen}`],
      [
        { type: "channel", channel: "email", raw: { html: "<p>", more: [{ text: open }] } },
        `raw.more[0].text: ${isOpen}`
      ],
      [text("x", { if: "data.a ==" }), "if: Invalid condition at character 10: it ends where a value is expected"],
      [text("x", { loop: {} }), `loop: The "loop" of an element of type "text" is not a text`],
      [
        { type: "jsonnet", content: "[]", locales: { fr: "[" } },
        "locales.fr: The jsonnet is malformed at 1:2: expected \"]\" instead of the end"
      ]
    ]
    for (const [element, said] of cases)
      assert.strictEqual(refusalOf([text("x"), element]), `content.elements[1].${said}`)
  })

  it("is looked at in no more time than a rendering may take, however many audiences it tells apart", () => {
    const many = (of: (index: number) => string, count: number) =>
      Array.from({ length: count }, (_, index) => of(index))
    const letter = (index: number) => String.fromCharCode(97 + index % 26)
    const locales = Object.fromEntries(
      many((index) => `${letter(index)}${letter(index / 26)}${letter(index / 676)}`, 2_000).map((
        name
      ) => [name, { if: "a" }])
    )
    const wide = many((index) => `p${index}`, 5_000)
    const elements = many((index) => `{{a${index}}}`, 500).map((content) => ({
      type: "text",
      content,
      locales,
      channels: wide
    }))
    assertQuick(() => refusalOf(elements), "audiences")
    const texts = many((index) => `{{a ${"b ".repeat(1_000)} ${index}}}`.repeat(20), 100)
    assertQuick(
      () => refusalOf(texts.map((content) => ({ type: "text", content, if: `${content.length} == a` }))),
      "texts"
    )
  })
})
