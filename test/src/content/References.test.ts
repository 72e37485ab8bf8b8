import { elements, render, text } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

describe("References to elements (api.md 2.5)", () => {
  it("of a loop are to all that it says, and to its other fields as they are written", () => {
    const loop = { type: "action", ref: "go", loop: "list", content: "{{$.item}}", href: "https://x.io/{{$.item}}" }
    const content = elements(loop, text("{{refs.go.content}}|{{refs.go.href}}"))
    assert.strictEqual(
      render(content, { data: { list: [1, 2] } }).body,
      "1: https://x.io/1\n2: https://x.io/2|https://x.io/{{$.item}}"
    )
  })

  it("of what is not shown are to its fields, but not to what it would say", () => {
    const hidden = text("no", { ref: "h", loop: "data.missing", align: "left" })
    const content = elements(hidden, text("{{refs.h.visible}} {{refs.h.align}} {{refs.later.align}}"))
    assert.strictEqual(render(content).body, "false left ")
  })

  it("may have any name, and find nothing that no element has", () => {
    for (const name of ["__proto__", "constructor", "a b", "0"]) {
      const said = text(`{{refs.[${name}].content}} {{refs.[toString].content}}`)
      assert.strictEqual(render(elements(text("one", { ref: name }), said)).body, "one\none ", name)
    }
  })

  it("say their element as it would be read: without the marks of a letter, and the pieces of a text too", () => {
    const content = elements(
      { type: "quote", ref: "q", content: "said" },
      { type: "image", ref: "i", src: "https://x.io/i.png", alt_text: "A" },
      { type: "text", ref: "t", elements: [{ type: "string", ref: "s", content: "one {{n}}" }] },
      text("{{refs.q.content}}|{{refs.i.content}}|{{refs.t.content}}|{{refs.s.content}}")
    )
    assert.strictEqual(render(content, { data: { n: 1 } }).body.split("\n").at(-1), "said||one 1|one 1")
  })

  it("have all texts of their element filled in", () => {
    const texts = ["title", "href", "src", "alt_text", "altText", "imgSrc", "imgHref"]
    const named = { ref: "r", ...Object.fromEntries(texts.map((key) => [key, `${key} {{n}}`])) }
    const seen = text(texts.map((key) => `{{refs.r.${key}}}`).join(", "))
    assert.strictEqual(
      render(elements(text("", named), seen), { data: { n: 1 } }).body,
      texts.map((key) => `${key} 1`).join(", ")
    )
  })

  it("of a loop are to something visible if any of its turns is", () => {
    const seen = (condition: string) =>
      render(elements(text("a", { ref: "r", loop: "data.list", if: condition }), text("{{refs.r.visible}}")), {
        data: { list: [1, 2] }
      }).body
    assert.deepStrictEqual(["false", "$.item > 1", "true"].map(seen), ["false", "a\ntrue", "a\na\ntrue"])
  })
})
