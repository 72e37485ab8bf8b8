import { escape } from "#src/content/html/Escape.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Text = Schema.Array(
  Schema.Literals(["a", " ", "&", "<", ">", "\"", "'", "`", "&amp;", "&lt;", "<b>", "é", "=", "/"])
)

describe("Escaped text", () => {
  it("has no character that HTML reads as anything else, in elements or in quotes of any kind", () => {
    assert.strictEqual(escape("a=b/c;d (é)"), "a=b/c;d (é)")
    for (const character of "<>\"'`") {
      assert.match(escape(character), /^&#?\w+;$/, character)
      assert.notInclude(escape(`&a${character}b`), character)
    }
    assert.strictEqual(escape("&"), "&amp;")
  })

  it.prop("is what it was for a browser, in an element and in an attribute", { parts: Text }, ({ parts }) => {
    const text = parts.join("")
    assert.strictEqual(dom(`<p>${escape(text)}</p>`).text, text)
    for (const quote of ["\"", "'"]) {
      const found = dom(`<p title=${quote}${escape(text)}${quote}>`).elements.find(({ name }) => name === "p")
      assert.deepStrictEqual([...found?.attributes ?? []], [["title", text]])
    }
  })
})
