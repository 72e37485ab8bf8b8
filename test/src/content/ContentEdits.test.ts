import { putElement, putLocale } from "#src/content/ContentEdits.ts"
import type { Element } from "#schemas/Elemental.ts"
import type { TemplateContent } from "#schemas/Template.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content: TemplateContent = {
  version: "2022-01-01",
  elements: [{ type: "group", id: "a", elements: [{ type: "text", id: "b", content: "b" }] }]
}

describe("ContentEdits", () => {
  it.effect("sets one locale of elements and of what is inside them; the last word of one counts", () =>
    Effect.gen(function*() {
      const texts = [{ id: "a", content: "x" }, { id: "b", content: "y" }, { id: "a", content: "z" }]
      assert.deepStrictEqual((yield* putLocale("t", "de", texts)(content)).elements, [{
        type: "group",
        id: "a",
        elements: [{ type: "text", id: "b", content: "b", locales: { de: { content: "y" } } }],
        locales: { de: { content: "z" } }
      }])
    }))

  it.effect("a locale is set in whichever spelling the element has it", () =>
    Effect.gen(function*() {
      const before = {
        version: "2022-01-01",
        elements: [{ type: "text", id: "a", locales: { fr_FR: { content: "x" } } }]
      }
      const { elements } = yield* putLocale("t", "fr-FR", [{ id: "a", content: "y" }])(before)
      assert.deepStrictEqual(elements[0]?.["locales"], { "fr-FR": { content: "y" } })
    }))

  it.effect("an element's other locales stay when one is set, and its id when it is replaced", () =>
    Effect.gen(function*() {
      const before: TemplateContent = {
        version: "2022-01-01",
        elements: [{ type: "text", id: "a", locales: { de: { content: "x", title: "t" }, fr: { content: "y" } } }]
      }
      assert.deepStrictEqual(
        (yield* putLocale("t", "de", [{ id: "a", content: "z" }])(before)).elements[0]?.["locales"],
        {
          de: { content: "z" },
          fr: { content: "y" }
        }
      )
      const replaced = yield* putElement("t", "a", { type: "divider", id: "b" })(before)
      assert.deepStrictEqual(replaced.elements, [{ type: "divider", id: "a" }])
    }))

  it.effect("what an element has under data becomes its own, but for what it says itself", () =>
    Effect.gen(function*() {
      const put = (element: Element) => Effect.map(putElement("t", "b", element)(content), ({ elements }) => elements)
      const stored = (element: Element) => [{ type: "group", id: "a", elements: [element] }]
      assert.deepStrictEqual(
        yield* put({
          type: "text",
          align: "left",
          data: { content: "Updated", align: "right", type: "meta", id: "c" }
        }),
        stored({ type: "text", id: "b", content: "Updated", align: "left" })
      )
      assert.deepStrictEqual(
        yield* put({ type: "text", data: "none" }),
        stored({ type: "text", id: "b", data: "none" })
      )
    }))

  it.effect("all or none: the first that is not there is told", () =>
    Effect.gen(function*() {
      const texts = [{ id: "b", content: "y" }, { id: "c" }, { id: "d" }]
      assert.strictEqual((yield* Effect.flip(putLocale("t", "de", texts)(content))).id, "c")
    }))

  it.effect("what replaces an element is not gone into", () =>
    Effect.gen(function*() {
      const own = { type: "group", elements: [{ type: "group", id: "a", elements: [] }] }
      assert.deepStrictEqual((yield* putElement("t", "a", own)(content)).elements, [{ ...own, id: "a" }])
      assert.strictEqual((yield* Effect.flip(putElement("t", "c", own)(content))).id, "c")
    }))

  it("goes over the content once, however many elements are set", () => {
    const elements = Array.from({ length: 20_000 }, (_, index) => ({ type: "text", id: `${index}` }))
    const texts = elements.map(({ id }) => ({ id, content: "y" }))
    const whole = { version: "2022-01-01" as const, elements }
    assertQuick(() => Effect.runSync(putLocale("t", "de", texts)(whole)), "locales")
  })
})
