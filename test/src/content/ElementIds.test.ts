import type { Element } from "#schemas/Elemental.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import * as ElementIds from "#src/content/ElementIds.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const content: TemplateContent = {
  elements: [
    { type: "text", content: "a" },
    {
      id: "own",
      type: "group",
      elements: [{ type: "text", id: "" }, { type: "list", elements: [{ type: "list-item", content: "b" }] }]
    }
  ]
}

/** The ids of all elements; what contains others comes after them. */
const idsOf = (stored: TemplateContent): ReadonlyArray<string> =>
  [...JSON.stringify(stored).matchAll(/"id":"([^"]*)"/g)].map(([, id = ""]) => id)

describe("Ids of stored elements (api.md §14)", () => {
  it("every element has one, however deep: its own, or else a new one that no other has", () => {
    const ids = idsOf(ElementIds.assign(content))
    assert.lengthOf(new Set(ids), 5)
    assert.deepStrictEqual(ids.filter((id) => !/^el_[0-9a-f]{26}$/.test(id)), ["own"])
  })

  it("the same content has the same, another's are others, and what was stored keeps its own", () => {
    const stored = ElementIds.assign(content)
    assert.deepStrictEqual(ElementIds.assign(content), stored)
    const other = idsOf(ElementIds.assign({ elements: [...content.elements, { type: "text" }] }))
    assert.deepStrictEqual(idsOf(stored).filter((id) => other.includes(id)), ["own"])
    assert.deepStrictEqual(ElementIds.assign(stored), stored)
  })

  it("the version is what the content says, or else the first", () => {
    assert.strictEqual(ElementIds.assign(content).version, "2022-01-01")
    assert.strictEqual(ElementIds.assign({ ...content, version: "2031-01-01" }).version, "2031-01-01")
  })

  it("checksums that come back with an element and with its locales are not stored", () => {
    const checksum = "d41d8cd98f00b204e9800998ecf8427e"
    const text = { type: "text", id: "t", content: "a", locales: { de: { content: "b" } } }
    const sent = { ...text, checksum, locales: { de: { content: "b", checksum } } }
    const within = (element: Element) => ({ type: "group", id: "g", elements: [element] })
    assert.deepStrictEqual(
      ElementIds.assign({ elements: [sent, { ...within(sent), checksum }] }).elements,
      [text, within(text)]
    )
  })

  it.prop(
    "content is stored if and only if each is there but once, however deep",
    { ids: Schema.Array(Schema.Literals(["a", "b", "c", "d", ""])), depths: Schema.Array(Schema.Boolean) },
    ({ depths, ids }) => {
      const elements = ids.reduce<ReadonlyArray<Element>>((before, id, index) => {
        const made = { type: "text", id }
        return depths[index] === true ? [{ type: "group", elements: [made, ...before] }] : [...before, made]
      }, [])
      const own = ids.filter((id) => id !== "")
      const stored = Effect.runSync(Effect.result(ElementIds.stored({ elements })))
      assert.strictEqual(stored._tag, new Set(own).size === own.length ? "Success" : "Failure")
      if (stored._tag === "Success") assert.deepStrictEqual(stored.success, ElementIds.assign({ elements }))
    }
  )
})
