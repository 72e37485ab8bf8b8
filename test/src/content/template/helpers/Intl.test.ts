import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const data = { total: 128.5, text: "1234.5", at: "2026-09-15T23:30:00Z", none: null }

const say = (source: string, locale?: string): string =>
  body(source, { data, profile: locale === undefined ? {} : { locale } })

describe("Numbers and dates as their readers write them", () => {
  it("are written for Americans and in UTC where nothing else is known", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["{{formatNumber text}}", "1,234.5"],
      ["{{formatNumber total style=\"currency\" currency=\"USD\"}}", "$128.50"],
      ["{{formatNumber 0.25 style=\"percent\"}}", "25%"],
      ["{{formatNumber 1234567 notation=\"compact\" maximumSignificantDigits=2}}", "1.2M"],
      ["{{formatNumber 1234 useGrouping=false}}", "1234"],
      ["{{formatDate at}} {{formatTime 1790157600000}}", "9/15/2026 9/23/2026"],
      ["{{formatDate at day=\"numeric\" month=\"long\" year=\"numeric\"}}", "September 15, 2026"],
      ["{{formatDate at day=\"numeric\" month=\"short\" timeZone=\"Asia/Tokyo\"}}", "Sep 16"],
      ["{{formatTime at hour=\"2-digit\" minute=\"2-digit\" hour12=false}}", "23:30"]
    ]
    for (const [source, said] of examples) assert.strictEqual(say(source), said, source)
  })

  it.effect.prop(
    "are written in the language of the profile, where this machine knows it",
    { locale: Schema.Literals(["fr-FR", "fr_FR", "de_DE.UTF-8", "en-GB", "xx", "no locale", "en-a", ""]) },
    ({ locale }) =>
      Effect.sync(() => {
        const language = locale.startsWith("fr")
          ? "fr"
          : locale.startsWith("de")
          ? "de"
          : locale === "en-GB"
          ? "en-GB"
          : "en"
        const number = new Intl.NumberFormat(language).format(1234.5)
        const date = new Intl.DateTimeFormat(language, { timeZone: "UTC", month: "long" }).format(Date.UTC(2026, 8, 15))
        assert.strictEqual(say("{{formatNumber text}} {{formatDate at month=\"long\"}}", locale), `${number} ${date}`)
      })
  )

  it("fail with what is no number, no date or no format", () => {
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["formatNumber \"a\"", "\"a\" is not a number"],
      ["formatNumber none", "\"\" is not a number"],
      ["formatDate \"soon\"", "\"soon\" is not a date"],
      ["formatTime missing", "\"\" is not a date"],
      ["formatNumber 1 style=\"currency\"", "there is no such format"],
      ["formatNumber 1 style=\"loud\"", "there is no such format"],
      ["formatNumber 1 minimumFractionDigits=-1", "there is no such format"],
      ["formatDate at timeZone=\"Mars\"", "there is no such format"]
    ]
    for (const [source, said] of refused) {
      const [name = ""] = source.split(" ")
      assert.strictEqual(failure({ body: `{{${source}}}` }, { data }), `${name}: ${said}`, source)
    }
  })

  it("are bounded in how many formats a rendering makes, and not in how often it uses one", () => {
    const many = (of: (n: number) => string) => ({ body: Array.from({ length: 400 }, (_, n) => of(n)).join("") })
    assert.strictEqual(failure(many(() => "{{formatNumber 1 style=\"percent\"}}")), "rendered")
    assert.match(failure(many((n) => `{{formatNumber 1 minimumFractionDigits=0 other=${n}}}`)), /more than 50000 steps/)
  })
})
