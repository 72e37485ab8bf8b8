import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const data = {
  none: null,
  blank: "",
  empty: [],
  zero: 0,
  no: false,
  yes: true,
  two: 2,
  list: ["a"],
  wide: `[${"1,".repeat(195_000)}1]`,
  wider: `[${"1,".repeat(205_000)}1]`
}

const say = (source: string): string => body(source, { data })

describe("Logic in templates", () => {
  it("a comparison is as strict as its sign", () => {
    const seen = ["==", "===", "!=", "!=="].map((sign) =>
      say(`{{condition two "${sign}" "2"}} {{condition 2 "${sign}" two}}`)
    )
    assert.deepStrictEqual(seen, ["true true", "false true", "false false", "true false"])
  })

  it("what is missing is null, on either side", () => {
    for (const args of ["missing \"===\" none", "none \"===\" missing", "missing \"===\" missing"])
      assert.strictEqual(say(`{{condition ${args}}}`), "true", args)
    assert.strictEqual(
      say("{{filter \"data\" \"nope\" \"EQUALS\" none}} {{filter \"data\" \"none\" \"EQUALS\" missing}}"),
      "true true"
    )
  })

  it("all of what is joined has to hold, unless the operator is or", () => {
    const said = (more: string) =>
      say(`{{conditional yes no${more}}} {{conditional yes yes${more}}} {{conditional no no${more}}}`)
    for (
      const more of [
        "",
        " operator=\"and\"",
        " operator=\"xor\"",
        " logicalOperator=\"AND\"",
        " operator=\"and\" logicalOperator=\"or\""
      ]
    )
      assert.strictEqual(said(more), "false true false", more)
    for (const more of [" operator=\"or\"", " operator=\"OR\"", " logicalOperator=\"or\""])
      assert.strictEqual(said(more), "true true false", more)
  })

  it("empty is what would be false, or has no items", () => {
    const seen = (operator: string) =>
      Object.keys(data).slice(0, -2).filter((name) => say(`{{filter "data" "${name}" "${operator}"}}`) === "true")
    const empty = ["none", "blank", "empty", "zero", "no"]
    assert.deepStrictEqual(seen("IS_EMPTY"), empty)
    for (const operator of ["NOT_EMPTY", "IS_NOT_EMPTY"]) assert.deepStrictEqual(seen(operator), ["yes", "two", "list"])
    assert.strictEqual(say("{{filter \"data\" \"nope\" \"IS_EMPTY\"}}"), "true")
    assert.strictEqual(body("{{not sized}}", { data: { sized: { length: 0 } } }), "false")
  })

  it("and, or and not answer true or false, and never a word of theirs", () => {
    assert.strictEqual(
      say("{{and two list}} {{and two empty}} {{or zero two}} {{or zero blank}} {{or}} {{not two}}"),
      "true false true false  false"
    )
  })

  it("signs and operators that are none are named by no more than their first 80 characters", () => {
    const long = "x".repeat(500)
    assert.match(failure({ body: `{{condition 1 "${long}" 2}}` }), /^condition: "x{80}" is not one of == ===/)
    assert.match(failure({ body: `{{filter "data" "a" "${long}" 2}}` }), /^filter: "x{80}" is not an operator$/)
    assert.match(failure({ body: `{{add "${long}" 2}}` }), /^add: "x{80}" is not a number$/)
  })
})

describe("json-parse in templates", () => {
  it("takes a step for eight characters", () => {
    assert.strictEqual(say("{{lookup (json-parse wide) 9}}"), "1")
    assert.match(failure({ body: "{{lookup (json-parse wider) 9}}" }, { data }), /more than 50000 steps/)
  })

  it("reads what is nested 64 deep, and no deeper", () => {
    for (const [open, close] of [["[", "]"], ["{\"a\":", "}"]] as const) {
      const text = (depth: number) => `${open.repeat(depth)}7${close.repeat(depth)}`
      assert.strictEqual(body("{{#if (json-parse v)}}read{{/if}}", { data: { v: text(64) } }), "read", open)
      assert.match(
        failure({ body: "{{json-parse v}}" }, { data: { v: text(65) } }),
        /json-parse: the text is not JSON/,
        open
      )
    }
  })
})
