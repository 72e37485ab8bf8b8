import { parse } from "#src/content/Catalogue.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const file = (header: string) =>
  `msgid ""
msgstr ""
"Language: pl\\n"
"${header}\\n"

msgid "greeting"
msgstr "Cześć"

msgctxt "formal"
msgid "greeting"
msgstr "Dzień dobry"

msgid "empty"
msgstr ""

msgid "file"
msgid_plural "files"
msgstr[0] "plik"
msgstr[1] "pliki"
msgstr[2] "plików"
`

const polish = "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"

describe("Catalogue", () => {
  it.effect("a key's text, by context; none for an empty or unknown key", () =>
    Effect.gen(function*() {
      const { text } = yield* parse(file(polish))
      assert.strictEqual(text("greeting"), "Cześć")
      assert.strictEqual(text("greeting", { context: "formal" }), "Dzień dobry")
      for (const key of ["", "empty", "none", "constructor", "__proto__"]) assert.isUndefined(text(key), key)
      assert.isUndefined(text("greeting", { context: "__proto__" }))
    }))

  it.effect("a number chooses the plural form by the file's own rule", () =>
    Effect.gen(function*() {
      const { text } = yield* parse(file(polish))
      const of = (count: number) => text("file", { count })
      assert.deepStrictEqual([1, 2, 4, 5, 12, 22, 25, 0, 101, 102].map(of), [
        "plik",
        "pliki",
        "pliki",
        "plików",
        "plików",
        "pliki",
        "plików",
        "plików",
        "plików",
        "pliki"
      ])
      assert.strictEqual(text("file"), "plik")
      assert.strictEqual(of(1.5), "plik")
      // A form that the entry lacks is not left blank.
      const short = yield* parse(
        `${file(polish)}\nmsgid "day"\nmsgid_plural "days"\nmsgstr[0] "dzień"\nmsgstr[1] "dni"\n`
      )
      assert.deepStrictEqual([1, 2, 5].map((count) => short.text("day", { count })), ["dzień", "dni", "dzień"])
    }))

  it.effect("a translation that is marked as a guess is none, as for gettext; the header's mark does not count", () =>
    Effect.gen(function*() {
      const marked = (flags: string, key: string) => `${flags}\nmsgid "${key}"\nmsgstr "Konto löschen"\n\n`
      const { text } = yield* parse(
        `#, fuzzy\n${file(polish)}\n`
          + marked("#, fuzzy", "a") + marked("#,c-format , fuzzy", "b") + marked("#, c-format\n#, fuzzy", "c")
          + marked("# fuzzy", "note") + marked("#, c-format, no-fuzzy", "other")
      )
      assert.deepStrictEqual(["a", "b", "c"].map((key) => text(key)), [undefined, undefined, undefined])
      assert.deepStrictEqual([text("note"), text("other")], ["Konto löschen", "Konto löschen"])
      assert.strictEqual(text("file", { count: 2 }), "pliki")
    }))

  it.effect("text that is no .po file is refused", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(parse("{\"a\": 1}")))._tag, "NoCatalogue")
    }))
})

describe("Plural forms of an entry", () => {
  const many = (line: string): string => `msgid "a"\nmsgid_plural "b"\n${line.repeat(30_000)}`

  it.effect("more than any language has are refused, whatever stands between them", () =>
    Effect.gen(function*() {
      const lines = ["", "\"msgid\" ", "# msgid\n", "#| msgid\n", "#~ ", "#\r~ ", "'msgid \" ' ", "\"\\\" msgid \" "]
      for (const between of lines) {
        const text = many(`msgstr[0] "v" ${between}\n`)
        assertQuick(() => Effect.runSync(Effect.exit(parse(text))), between)
        assert.match((yield* Effect.flip(parse(text))).detail, /more than 100 plural forms/, between)
      }
      const entries = Array.from({ length: 200 }, (_, n) => `msgid "${n}"\nmsgstr "# msgstr"\n`).join("\n")
      assert.strictEqual((yield* parse(entries)).text("7"), "# msgstr")
    }))
})
