import { limits } from "#src/content/Budget.ts"
import { body, elements, failure, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const many = (count: number) => ({ data: { many: Array.from({ length: count }, (_, at) => at) } })

const said = (count: number, content: string) =>
  failure(elements({ type: "text", content, loop: " data.many " }), many(count))

describe("The budget of a rendering, to its edge", () => {
  it("all turns of loops, of elements and of templates", () => {
    const template = "{{#each many}}{{/each}}"
    assert.deepStrictEqual([limits.turns, limits.turns + 1].map((count) => said(count, "")), [
      "rendered",
      "The content's loops take more than 10000 turns"
    ])
    assert.deepStrictEqual(
      [limits.turns, limits.turns + 1].map((count) => failure({ body: template }, many(count))),
      ["rendered", "The content's loops take more than 10000 turns"]
    )
  })

  it("all characters that are written, whoever wrote them", () => {
    const tooMany = "The content renders to more than 1048576 characters"
    const part = "x".repeat(limits.output / 16)
    assert.deepStrictEqual([16, 17].map((count) => said(count, part)), ["rendered", tooMany])
    const half = "x".repeat(limits.output / 2)
    assert.deepStrictEqual([half, `${half}x`].map((title) => failure({ title, body: half })), ["rendered", tooMany])
    const given = (length: number) => ({ data: { v: "x".repeat(length) } })
    assert.deepStrictEqual(
      [limits.output, limits.output + 1].map((length) => failure({ body: "{{v}}" }, given(length))),
      [
        "rendered",
        tooMany
      ]
    )
  })

  it("elements inside each other, and the pieces of a text", () => {
    const nested = (depth: number, inner: Piece): Piece =>
      depth === 0 ? inner : { type: "group", elements: [nested(depth - 1, inner)] }
    const text = { type: "text", content: "x" }
    const pieces = { type: "text", elements: [{ type: "string", content: "x" }] }
    for (const [inner, deepest] of [[text, limits.depth], [pieces, limits.depth - 1]] as const) {
      assert.strictEqual(render(elements(nested(deepest, inner))).body, "x")
      assert.strictEqual(failure(elements(nested(deepest + 1, inner))), "Elements are nested more than 32 deep")
    }
  })

  it("a step for each element, and what references keep of them", () => {
    const texts = (count: number) => failure(elements(...Array.from({ length: count }, () => ({ type: "divider" }))))
    assert.deepStrictEqual([limits.steps, limits.steps + 1].map(texts), [
      "rendered",
      "The content takes more than 50000 steps to render"
    ])
    const part = { type: "text", content: "x".repeat(100_000) }
    const kept = (ref: object) => failure(elements(...Array.from({ length: 6 }, () => ({ ...part, ...ref }))))
    assert.deepStrictEqual([{}, { ref: "r" }].map(kept), [
      "rendered",
      "The content renders to more than 1048576 characters"
    ])
  })

  it("256 names that a message's templates set", () => {
    const source = "{{#each many}}{{set (concat \"n\" this) this}}{{/each}}{{n255}}"
    assert.strictEqual(body(source, many(256)), "255")
    assert.strictEqual(body(`${source}{{set "n7" "again"}}{{n7}}`, many(256)), "255again")
    assert.strictEqual(failure({ body: source }, many(257)), "\"n256\" is not a name that a template may set")
  })
})
