import { body, elements, failure, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const data = { name: "Ada", none: null, list: ["a", "b"] }

const say = (source: string): string => body(source, { data })

describe("Strings in templates", () => {
  it("are cut where they are longer than asked, and only then have their suffix", () => {
    const lengths = ["0", "1", "2", "2.9", "3", "4", "\"2\""]
    assert.deepStrictEqual(lengths.map((length) => say(`{{truncate name ${length} "…"}}`)), [
      "…",
      "A…",
      "Ad…",
      "Ad…",
      "Ada",
      "Ada",
      "Ad…"
    ])
    for (const length of ["-1", "-0.5", "none", "name", "\"\""])
      assert.match(failure({ body: `{{truncate name ${length}}}` }, { data }), /^truncate: the length is not a number/)
  })

  it.effect.prop(
    "are never cut inside a character",
    { text: Schema.String, length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })) },
    ({ length, text }) =>
      Effect.sync(() => {
        const whole = `😀${text.replaceAll(/[\uFDD0-\uFDEF]/g, "").toWellFormed()}é😀`
        const given = { data: { whole } }
        const cut = body(`{{truncate whole ${length}}}`, given)
        assert.isTrue(cut.isWellFormed() && whole.startsWith(cut))
        assert.include([0, 1], Math.min(length, whole.length) - cut.length)
        assert.strictEqual(body("{{trim-one-char-right whole}}", given), whole.slice(0, -2))
        assert.strictEqual(body(`{{format "%.${length}s" whole}}`, given), cut)
      })
  )

  it("have their first character in capitals, whatever it is made of", () =>
    assert.deepStrictEqual(["ada b", "éa", "𐐨a", "ß", "1a", ""].map((text) => say(`{{capitalize "${text}"}}`)), [
      "Ada b",
      "Éa",
      "𐐀a",
      "SS",
      "1a",
      ""
    ]))

  it("lose their white space on the sides that are named", () => {
    const sides = ["trim", "trim-left", "trim-right"]
    const text = "\\n\\t a b \\u00a0"
    const seen = (source: (side: string) => string) =>
      sides.map((side) => body(source(side), { data: { v: JSON.parse(`"${text}"`) } }))
    assert.deepStrictEqual(seen((side) => `[{{${side} v}}]`), ["[a b]", "[a b \u00a0]", "[\n\t a b]"])
    assert.deepStrictEqual(seen((side) => `[{{#${side}}}{{v}}{{/${side}}}]`), ["[a b]", "[a b \u00a0]", "[\n\t a b]"])
    assert.deepStrictEqual(seen((side) => `[{{#${side}}} \n{{/${side}}}]`), ["[]", "[]", "[]"])
  })

  it("are formatted from a list as from its items", () => {
    assert.strictEqual(
      say("{{format \"%s/%s\" list}} {{format \"%2$s\" list}} {{format \"%s %s\" list name}}"),
      "a/b b a,b Ada"
    )
    assert.match(failure({ body: "{{format \"%s/%s/%s\" list}}" }, { data }), /^format: /)
    const long = { list: Array.from({ length: 200_000 }, () => "") }
    assert.match(failure({ body: "{{format \"\" list}}".repeat(9) }, { data: long }), /more than 8388608 characters/)
  })

  it("are told by their first letter which way they are read", () => {
    const seen = (texts: ReadonlyArray<string>) =>
      texts.map((value) => body("[{{text-direction value}}]", { data: { value } }))
    const fromRight = ["مرحبا", "שלום a", "1. «مرحبا»", " (ދިވެހި)"]
    assert.deepStrictEqual(seen(fromRight), fromRight.map(() => "[text-rtl]"))
    const others = ["Ada", "", "42", "a مرحبا", "日本語", "😀"]
    assert.deepStrictEqual(seen(others), others.map(() => "[]"))
    assert.strictEqual(say("[{{text-direction missing}}]"), "[]")
  })

  it("have line breaks as each channel writes them, by a name that data cannot have", () => {
    const text = (format?: string) => ({
      ...(format === undefined ? {} : { format }),
      type: "text",
      content: "a{{line-break}}b"
    })
    const given = { data: { "line-break": "mine" }, channel: "email" }
    const html = (...of: ReadonlyArray<Schema.JsonObject & { readonly type: string }>) =>
      render(elements(...of), given).html
    assert.match(html(text()), /a<br>\s*b/)
    assert.match(html(text("markdown")), /a<br>\s*b/)
    assert.match(html({ type: "html", content: "<p>a{{line-break}}b</p>" }), /<p>a<br>\s*b<\/p>/)
    assert.strictEqual(
      body("a{{line-break}}b{{concat (line-break) \"c\"}} {{this.line-break}}", { data: given.data }),
      "a\nb\nc mine"
    )
  })

  it("are joined as texts: a list by commas, and null as nothing", () => {
    assert.strictEqual(
      say("{{concat name none list 1 true}}|{{concat 1 none 2 separator=\", \"}}|{{concat}}"),
      "Adaa,b1true|1, , 2|"
    )
    assert.strictEqual(say("{{format \"%s %s %s\" list none true}}"), "a,b  true")
  })
})
