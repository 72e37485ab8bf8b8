import { Translations } from "#src/content/Translations.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

const po = (entries: Readonly<Record<string, string>>): string =>
  Object.entries(entries).map(([key, text]) => `msgid ${JSON.stringify(key)}\nmsgstr ${JSON.stringify(text)}\n`).join(
    "\n"
  )

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const translations = yield* Translations
  const text = (locale: string, key = "hello") =>
    Effect.map(
      translations.find(scope, "default", locale),
      (found) => Option.getOrUndefined(Option.map(found, (catalogue) => catalogue.text(key)))
    )
  const put = (locale: string, entries: Readonly<Record<string, string>>) =>
    translations.put(scope, "default", locale, po(entries))
  return { scope, translations, text, put }
})

/** What every store of translations promises. */
export const translationsContract = <E>(name: string, stores: Layer.Layer<Translations, E>) =>
  layer(stores)(`Translations: ${name}`, (it) => {
    it.effect("the text comes back as it was stored, whatever is in it", () =>
      Effect.gen(function*() {
        const { scope, translations } = yield* start
        const text = `# \u0000 ${String.fromCharCode(0xd800)} 👩‍🚀\n${po({ hello: "Servus" })}`
        yield* translations.put(scope, "default", "de-AT", text)
        assert.strictEqual(yield* translations.get(scope, "default", "de-AT"), text)
        yield* translations.put(scope, "default", "de-AT", "")
        assert.strictEqual(yield* translations.get(scope, "default", "de-AT"), "")
      }))

    it.effect("one spelling of a locale is another's", () =>
      Effect.gen(function*() {
        const { put, scope, text, translations } = yield* start
        yield* put("de_AT", { hello: "Servus" })
        assert.strictEqual(yield* translations.get(scope, "default", "de-at"), po({ hello: "Servus" }))
        assert.strictEqual(yield* text("DE-at"), "Servus")
        yield* put("zh_hant_TW", { hello: "你好" })
        assert.deepStrictEqual(
          yield* Effect.forEach(["zh-Hant-TW", "zh_Hant_TW"], (locale) => text(locale)),
          ["你好", "你好"]
        )
      }))

    it.effect("what was never stored, and any domain but the default, is not found", () =>
      Effect.gen(function*() {
        const { scope, text, translations } = yield* start
        assert.strictEqual(
          (yield* Effect.flip(translations.get(scope, "default", "de")))._tag,
          "TranslationNotFound"
        )
        assert.strictEqual((yield* Effect.flip(translations.put(scope, "other", "de", "")))._tag, "TranslationNotFound")
        assert.isUndefined(yield* text("de"))
      }))

    it.effect("what is read to be edited is a locale's own file, never its language's or another's", () =>
      Effect.gen(function*() {
        const { put, scope, translations } = yield* start
        const own = (locale: string) => translations.get(scope, "default", locale)
        yield* put("de", { hello: "Hallo" })
        yield* put("fr", { hello: "Bonjour" })
        assert.strictEqual((yield* Effect.flip(own("de-AT")))._tag, "TranslationNotFound")
        assert.deepStrictEqual(yield* Effect.forEach(["fr", "de"], own), [
          po({ hello: "Bonjour" }),
          po({ hello: "Hallo" })
        ])
      }))

    it.effect("text that is no .po file is refused, and what was stored stays", () =>
      Effect.gen(function*() {
        const { put, scope, text, translations } = yield* start
        yield* put("de", { hello: "Hallo" })
        const refused = yield* Effect.flip(translations.put(scope, "default", "de", "hello: world"))
        assert.strictEqual(refused._tag, "NoCatalogue")
        assert.strictEqual(yield* text("de"), "Hallo")
      }))

    it.effect("a locale without its own file reads its language's", () =>
      Effect.gen(function*() {
        const { put, text } = yield* start
        yield* put("zh-Hant", { hello: "你好" })
        yield* put("de", { hello: "Hallo" })
        yield* put("de-AT", { hello: "Servus" })
        assert.strictEqual(yield* text("zh-Hant-TW"), "你好")
        assert.isUndefined(yield* text("zh"))
        assert.strictEqual(yield* text("de-CH"), "Hallo")
        assert.strictEqual(yield* text("de-AT"), "Servus")
      }))

    it.effect("what a locale's own file has not, or not yet, is read in its language's", () =>
      Effect.gen(function*() {
        const { put, text } = yield* start
        yield* put("zh", { bye: "再见", hello: "你好", thanks: "谢谢" })
        yield* put("zh-Hant", { bye: "再見", thanks: "謝謝" })
        yield* put("zh-Hant-HK", { bye: "", thanks: "唔該" })
        const read = (locale: string) => Effect.forEach(["thanks", "bye", "hello", "other"], (key) => text(locale, key))
        assert.deepStrictEqual(yield* read("zh-Hant-HK"), ["唔該", "再見", "你好", undefined])
        assert.deepStrictEqual(yield* read("zh-Hant-TW"), ["謝謝", "再見", "你好", undefined])
        assert.deepStrictEqual(yield* read("zh"), ["谢谢", "再见", "你好", undefined])
      }))

    it.effect("a change counts at once, also of what was looked for in vain", () =>
      Effect.gen(function*() {
        const { put, text } = yield* start
        assert.isUndefined(yield* text("fr-CA"))
        yield* put("fr", { hello: "Bonjour" })
        assert.strictEqual(yield* text("fr-CA"), "Bonjour")
        yield* put("fr-CA", { hello: "Allô" })
        assert.strictEqual(yield* text("fr-CA"), "Allô")
        yield* put("fr-CA", { hello: "" })
        assert.strictEqual(yield* text("fr-CA"), "Bonjour")
        yield* put("fr", {})
        assert.isUndefined(yield* text("fr-CA"))
      }))

    it.effect("look-ups made at once each get their own answer", () =>
      Effect.gen(function*() {
        const { put, text } = yield* start
        yield* Effect.forEach(["aa", "ab", "ac"], (locale) => put(locale, { hello: locale }))
        const wanted = Array.from({ length: 30 }, (_, n) => ["aa", "ab", "ac", "ad", "ab-XX"][n % 5] ?? "")
        const found = yield* Effect.forEach(wanted, (locale) => text(locale), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          found,
          wanted.map((locale) => locale === "ad" ? undefined : locale.slice(0, 2))
        )
      }))

    it.effect("P10: environments do not share translations", () =>
      Effect.gen(function*() {
        const { put } = yield* start
        const elsewhere = yield* start
        yield* put("de", { hello: "Hallo" })
        assert.isUndefined(yield* elsewhere.text("de"))
      }))
  })
