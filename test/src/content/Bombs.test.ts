import { assertQuick, elements, failure, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

describe("Bombs", () => {
  it("ends bombs as failures, quickly", () => {
    const many = Array.from({ length: 3_000 }, (_, n) => n)
    const data = { "many": many, "big": "x".repeat(100_000) }
    const nested = (depth: number): Piece =>
      depth === 0 ? { type: "text", content: "x" } : { type: "group", loop: "many", elements: [nested(depth - 1)] }
    assert.match(failure(elements(nested(7)), { data }), /more than 10000 turns/)
    assert.match(
      failure(elements({ type: "text", content: "{{big}}", loop: "many" }), { data }),
      /more than 1048576 characters/
    )
    assert.match(failure({ body: "**a** ".repeat(100_000) }), /more than 50000 steps/)
    assert.match(failure({ body: "{{marks}}" }, { data: { "marks": "*_".repeat(100_000) } }), /more than 50000 steps/)
    assert.match(failure({ body: "x".repeat(1_048_577) }), /more than 1048576 characters/)
    assert.match(failure({ body: "<".repeat(400_000) }, { channel: "email" }), /characters of HTML/)
    assert.match(
      failure(elements({ type: "text", content: "x", loop: "many", if: "data.big.includes('y')" }), { data }),
      /too much data/
    )
    const deep = Array.from({ length: 40 }).reduce<Piece>(
      (inner) => ({ type: "group", elements: [inner] }),
      { type: "text", content: "x" }
    )
    assert.match(failure(elements(deep)), /nested more than 32 deep/)
  })

  it("what an element's own members hold is gone over once, or paid for at every turn", { timeout: 240_000 }, () => {
    const many = Array.from({ length: 3_000 }, (_, n) => n)
    const words = Array.from({ length: 20_000 }, (_, n) => `w${n}`)
    const given = { data: { many }, profile: { locale: "de-AT" } }
    const inLoop = (piece: object): Piece => ({
      type: "group",
      loop: "many",
      elements: [{ type: "text", content: "", ...piece }]
    })
    const locales = { ...Object.fromEntries(words.map((word) => [word, {}])), "de": { content: "" } }
    const wide = { ref: "r", ...Object.fromEntries(words.map((word) => [word, 1])) }
    const cases: ReadonlyArray<readonly [Piece, RegExp]> = [
      [inLoop({ locales }), /^rendered$/],
      [inLoop({ channels: words }), /looks through more/],
      [inLoop({ loop: "many.".repeat(20_000) }), /looks through more/],
      [inLoop(wide), /looks through more/],
      [inLoop({ ...wide, if: "false" }), /looks through more/],
      [{ type: "group", loop: "many", elements: Array.from({ length: 20_000 }, () => ({})) }, /looks through more/]
    ]
    for (const [piece, detail] of cases) {
      const said = JSON.stringify(piece).slice(0, 80)
      assert.match(failure(elements(piece), given), detail, said)
      assertQuick(() => failure(elements(piece), given), said)
    }
  })

  it("templates that are too long to be remembered are paid for at every turn", () => {
    const data = { "many": Array.from({ length: 100 }, (_, n) => n) }
    const long = `{{#if no}}${"{{a}}".repeat(9_000)}${"x".repeat(1_100_000)}{{/if}}`
    const once = elements({ type: "text", content: long })
    const often = elements({ type: "text", content: long, loop: "many" })
    assert.strictEqual(failure(once, { data }), "rendered")
    assert.match(failure(often, { data }), /looks through more/)
    assertQuick(() => failure(often, { data }), "too long to be remembered")
  })

  it("more templates than are remembered are paid for by their tags, also where nothing of them is shown", () => {
    const hidden = Array.from({ length: 100 }, (_, n) => `{{#if no${n}}}${"{{a}}".repeat(9_000)}{{/if}}`)
    const all = elements(...hidden.map((content) => ({ type: "text", content })))
    assert.match(failure(all, {}), /looks through more/)
    assertQuick(() => failure(all, {}), "hidden templates")
  })

  it("tags full of words are paid for by these; one that was not paid for is read when it is", () => {
    const words = `{{and${" a".repeat(2_040)}}}`
    const hidden = (n: number) => ({ type: "text", content: `${n}{{#if no}}${words.repeat(40)}{{/if}}` })
    assert.match(failure(elements(...[0, 1, 2, 3].map(hidden))), /looks through more/)
    for (const n of [0, 1, 2, 3]) assert.strictEqual(render(elements(hidden(n))).body, String(n))
  })

  it("what escapes add to data in an author's HTML is paid for, before all of it is read as text", () => {
    const html = (x: string) =>
      [elements({ type: "html", content: "{{x}}" }), { channel: "email", data: { x } }] as const
    for (const unit of [">\n", "\"", "`"]) {
      const given = html(unit.repeat(1_000_000 / unit.length))
      assert.strictEqual(failure(...given), "The content renders to more than 1048576 characters")
      assertQuick(() => failure(...given), unit)
    }
    assert.strictEqual(failure(...html("<".repeat(200_000))), "rendered")
  })

  it("columns without a width are gone over once", () => {
    const columns = Array.from({ length: 40_000 }, () => ({ type: "column" }))
    const all = elements({ type: "columns", elements: columns })
    assertQuick(() => failure(all, { channel: "email" }), "columns")
  })

  it("conditions are paid for by their length, and more than are remembered by what it takes to parse them", () => {
    const long = (n: number) => `!k${n} || ${"!a||".repeat(990)}0`
    const asked = Array.from({ length: 140 }, (_, n) => ({ type: "text", content: "x", if: long(n) }))
    const data = {
      "many": Array.from({ length: 350 }, (_, n) => n),
      a: true,
      ...Object.fromEntries(asked.map((_, n) => [`k${n}`, 1]))
    }
    const all = elements({ type: "group", loop: "many", elements: asked })
    assert.match(failure(all, { data }), /looks through too much/)
    assertQuick(() => failure(all, { data }), "conditions")
  })
})
