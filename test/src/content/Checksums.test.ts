import type { Element } from "#schemas/Elemental.ts"
import * as Checksums from "#src/content/Checksums.ts"
import { json } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

/** Every checksum in stored content, the outer ones after those inside them. */
const checksumsOf = (fields: Schema.JsonObject): ReadonlyArray<string> =>
  [...JSON.stringify(Checksums.withChecksums({ type: "text", ...fields })).matchAll(/"checksum":"([0-9a-f]{32})"/g)]
    .map(([, checksum = ""]) => checksum)

const translatable = ["title", "content", "altText", "alt_text", "raw"]
const others = ["id", "href", "align", "if", "channels"]

describe("Checksums of stored content (api.md §14)", () => {
  it("change with every text that a translator would change, and with nothing else", () => {
    const of = (key: string, value: string) => checksumsOf({ [key]: value })
    for (const key of translatable) assert.notDeepEqual(of(key, "one"), of(key, "two"), key)
    for (const key of others) assert.deepStrictEqual(of(key, "one"), of(key, "two"), key)
    const all = translatable.map((key) => of(key, "one")[0])
    assert.lengthOf(new Set(all), all.length)
  })

  it("are of an element and of what is inside it", () => {
    const within = (content: string): Element => ({ type: "text", id: content, content })
    const of = (...contents: ReadonlyArray<string>) => checksumsOf({ elements: contents.map(within) })
    const [one, two, outer] = of("one", "two")
    assert.deepStrictEqual([one, two], [...checksumsOf(within("one")), ...checksumsOf(within("two"))])
    const [changed, same, around] = of("other", "two")
    assert.notStrictEqual(changed, one)
    assert.strictEqual(same, two)
    assert.notStrictEqual(around, outer)
    assert.notStrictEqual(of("two", "one")[2], outer)
  })

  it("of a locale are of its own texts, and the element's stays", () => {
    const of = (locales: Schema.JsonObject) => checksumsOf({ content: "text", locales })
    const [german = "", french = "", whole = ""] = of({ de: { content: "a" }, fr: { content: "b" } })
    assert.deepStrictEqual(
      of({ de: { content: "a", align: "left" }, fr: { content: "c" } }).map((sum) => [
        sum === german,
        sum === french,
        sum === whole
      ]),
      [[true, false, false], [false, false, false], [false, false, true]]
    )
    assert.deepStrictEqual(checksumsOf({ content: "text" }), [whole])
  })

  it("are the same for the same content, in whatever order its fields stand", () => {
    const one = json(
      "{\"content\": \"a\", \"title\": \"b\", \"raw\": {\"html\": \"c\", \"list\": [{\"x\": 1, \"y\": 2}]}}"
    )
    const other = json(
      "{\"raw\": {\"list\": [{\"y\": 2, \"x\": 1}], \"html\": \"c\"}, \"title\": \"b\", \"content\": \"a\"}"
    )
    assert.deepStrictEqual(checksumsOf(one), checksumsOf(other))
    assert.notDeepEqual(checksumsOf(one), checksumsOf({ ...one, raw: { html: "c", list: [{ x: 1, y: 3 }] } }))
  })
})
