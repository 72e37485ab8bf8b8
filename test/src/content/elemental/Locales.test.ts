import { languageOf, localized } from "#src/content/elemental/Locales.ts"
import { assert, describe, it } from "@effect/vitest"

describe("Locales of elements (api.md 2.5)", () => {
  it("a profile's locale is a language, maybe with a script, a country and a variant; what systems add is left out, and anything else is none", () => {
    for (const locale of ["de", "fil", "de_AT", "zh-Hant-TW", "zh_Hant_TW", "sl-Latn-IT-nedis", "es-419"]) {
      assert.strictEqual(languageOf(locale), locale.split("_").join("-"), locale)
    }
    const read = {
      "en-US-u-fw-mon-mu-celsius": "en-US",
      "en_UA_#u-fw-mon": "en-UA",
      "es__#u-ms-metric": "es",
      "zh_TW_#Hant": "zh-Hant-TW",
      "zh__#Hant": "zh-Hant",
      "sr_RS_#Latn": "sr-Latn-RS",
      "sr_RS_#Latn_u-ca-gregory": "sr-Latn-RS",
      "sr-Cyrl-RS@latin": "sr-Cyrl-RS",
      "sr_RS.UTF-8@latin": "sr-Latn-RS",
      "uz_UZ@cyrillic": "uz-Cyrl-UZ",
      "ca_ES@valencia": "ca-ES",
      "en_US@calendar=buddhist": "en-US",
      "de_DE.UTF-8": "de-DE",
      "zh-Hans-CN-x-private": "zh-Hans-CN"
    }
    for (const [locale, language] of Object.entries(read)) assert.strictEqual(languageOf(locale), language, locale)
    for (
      const locale of [
        "",
        "d",
        "german",
        "de-",
        "de-A",
        "de AT",
        "a-b-c",
        "de-a1-b2-c3-d4",
        "de-u",
        "de_#",
        "de-\">",
        "\"><",
        7,
        null,
        undefined
      ]
    )
      assert.isUndefined(languageOf(locale), String(locale))
  })

  it("an element is said in exactly the locale, else in the nearest shorter form of it, else as it is", () => {
    const locales = {
      "fil-PH": { content: "exact" },
      fil: { content: "language" },
      zh_hant_tw: { content: "other" },
      sr: { content: "language" },
      "sr-Latn": { content: "script" }
    }
    const element = { type: "text", content: "own", locales }
    const said = (locale: string | undefined) => localized(element, locale)["content"]
    assert.deepStrictEqual(
      ["fil-PH", "FIL_ph", "fil-US", "fil", "zh-Hant-TW", "zh-Hant", "fi", "fi-PH", undefined].map(said),
      ["exact", "exact", "language", "language", "other", "own", "own", "own", "own"]
    )
    assert.deepStrictEqual(
      ["sr-Latn-ME", "SR_latn", "sr-Cyrl-ME", "sr-RS", "sr-ME", "zh-Hant-TW-x1"].map(said),
      ["script", "script", "language", "language", "script", "other"]
    )
  })

  it("a country stands for the script that is usual there, and the script for what is said without one", () => {
    const by = (...names: ReadonlyArray<string>) => {
      const locales = Object.fromEntries(names.map((name) => [name, { content: name }]))
      return (locale: string) => localized({ type: "text", content: "own", locales }, locale)["content"]
    }
    const scripts = by("zh-Hant", "zh-Hans")
    assert.deepStrictEqual(
      ["zh-TW", "zh_HK", "zh-Hant-TW", "zh-CN", "zh-SG", "zh", "zh-Hans-MY", "zh-Latn", "en-US"].map(scripts),
      ["zh-Hant", "zh-Hant", "zh-Hant", "zh-Hans", "zh-Hans", "zh-Hans", "zh-Hans", "own", "own"]
    )
    const countries = by("zh-TW", "zh", "en-US", "az")
    assert.deepStrictEqual(
      ["zh-Hant-TW", "zh-Hans-TW", "zh-Hant-HK", "zh-Hans-CN", "en-Latn-US", "en-Latn-US-x1", "az-xx-1a", "az-a1-b2"]
        .map(countries),
      ["zh-TW", "zh", "zh", "zh", "en-US", "en-US", "az", "az"]
    )
    const all = by("zh", "zh-Hant", "zh-Hant-HK", "zh-TW")
    assert.deepStrictEqual(["zh-HK", "zh-TW", "zh-MO", "zh-Hant-TW", "zh"].map(all), [
      "zh-Hant-HK",
      "zh-TW",
      "zh-Hant",
      "zh-Hant",
      "zh"
    ])
  })

  it("a language has its old code, too, as Android and Java call it", () => {
    const locales = {
      id: { content: "id" },
      iw: { content: "iw" },
      "he-US": { content: "he-US" },
      "in-SG": { content: "in-SG" }
    }
    const said = (locale: string) => localized({ type: "text", content: "own", locales }, locale)["content"]
    assert.deepStrictEqual(
      ["in-ID", "in", "id-SG", "he-IL", "iw-US", "iw", "ji", "ind"].map(said),
      ["id", "id", "id", "iw", "iw", "iw", "own", "own"]
    )
  })

  it("a locale's entry that is one text is a program, where the element is one", () => {
    const said = (type: string) => localized({ type, template: "own", locales: { de: "other" } }, "de")["template"]
    assert.deepStrictEqual(["jsonnet", "text"].map(said), ["other", "own"])
  })
})
