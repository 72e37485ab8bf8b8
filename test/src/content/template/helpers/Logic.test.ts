import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const data = {
  none: null,
  blank: "",
  empty: [],
  zero: 0,
  no: false,
  yes: true,
  two: 2,
  ten: 10,
  text: "2",
  list: ["a"],
  wide: `[${"1,".repeat(195_000)}1]`,
  wider: `[${"1,".repeat(205_000)}1]`
}

const say = (source: string): string => body(source, { data })

describe("Logic in templates", () => {
  it("a comparison never takes a text for a number, by any sign", () => {
    const seen = ["==", "===", "!=", "!=="].map((sign) =>
      say(`{{condition two "${sign}" "2"}} {{condition "2" "${sign}" two}} {{condition 2 "${sign}" two}}`)
    )
    const [same, other] = ["false false true", "true true false"]
    assert.deepStrictEqual(seen, [same, same, other, other])
  })

  it("what var says is compared as text with a text, and with a number as what it is", () => {
    const seen = ["==", "===", "!=", "!=="].map((sign) =>
      ["(var \"two\") SIGN \"2\"", "\"2\" SIGN (var \"two\")", "(var \"two\") SIGN 2", "(var \"text\") SIGN 2"]
        .map((args) => say(`{{condition ${args.replace("SIGN", `"${sign}"`)}}}`)).join(" ")
    )
    const [same, other] = ["true true true false", "false false false true"]
    assert.deepStrictEqual(seen, [same, same, other, other])
    assert.strictEqual(
      say("{{condition (var \"ten\") \">\" \"9\"}} {{condition (path \"two\") \"==\" \"2\"}}"),
      "true false"
    )
    assert.strictEqual(
      say("{{condition (var \"yes\") \"==\" \"true\"}} {{condition (var \"no\") \"!=\" \"true\"}}"),
      "true true"
    )
  })

  it("a condition has two operands and a sign between them", () => {
    for (const args of ["two", "two \">=\"", "two \"=>\" 1", "two \"=\" 2", "(var \"two\") \"==\""])
      assert.match(failure({ body: `{{#if (condition ${args})}}x{{/if}}` }, { data }), /^condition: /, args)
    assert.strictEqual(say("{{condition missing \"==\" none}}"), "true")
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

  it("empty is what is not there or has nothing in it: neither zero nor false", () => {
    const values = { none: null, blank: "", empty: [], bare: {}, zero: 0, no: false, list: [0], sized: { length: 0 } }
    const seen = (operator: string) =>
      [...Object.keys(values), "nope"].filter((name) =>
        body(`{{filter "data" "${name}" "${operator}"}}`, { data: values }) === "true"
      )
    assert.deepStrictEqual(seen("IS_EMPTY"), ["none", "blank", "empty", "bare", "nope"])
    for (const operator of ["NOT_EMPTY", "IS_NOT_EMPTY"])
      assert.deepStrictEqual(seen(operator), ["zero", "no", "list", "sized"], operator)
    assert.strictEqual(body("{{not sized}}", { data: values }), "false")
  })

  it("only the source profile says where a filter's path begins", () => {
    const profile = { name: "of the profile", data: { name: "theirs" } }
    const given = {
      data: { name: "Ada", score: 87, profile: { name: "of data" }, items: [{ score: 1, profile: 2 }] },
      profile
    }
    const held = (source: string, path: string, value: string | number) =>
      assert.strictEqual(
        body(`{{filter "${source}" "${path}" "EQUALS" ${JSON.stringify(value)}}}`, given),
        "true",
        `${source} ${path}`
      )
    for (const source of ["data", "brand", ""]) {
      for (const path of ["score", "data.score", "$.data.score"]) held(source, path, 87)
      for (const path of ["profile.name", "$.profile.name"]) held(source, path, profile.name)
    }
    held("profile", "name", profile.name)
    held("profile", "data.name", "theirs")
    const inside =
      "{{#each items}}{{filter \"data\" \"score\" \"EQUALS\" 1}} {{filter \"data\" \"name\" \"EQUALS\" \"Ada\"}} "
    assert.strictEqual(
      body(`${inside}{{filter "profile" "name" "EQUALS" "of the profile"}}{{/each}}`, given),
      "true true true"
    )
  })

  it.effect.prop(
    "a filter compares numbers by size, also where either is a text",
    { l: Schema.Int, r: Schema.Int },
    ({ l, r }) =>
      Effect.sync(() => {
        const holds = { GREATER_THAN: l > r, GREATER_THAN_EQUALS: l >= r, LESS_THAN: l < r, LESS_THAN_EQUALS: l <= r }
        for (const [operator, held] of Object.entries(holds)) {
          for (const [left, right] of [[l, r], [`${l}`, r], [l, `${r}`], [`${l}`, `${r}`]] as const) {
            const said = body(`{{filter "data" "l" "${operator}" r}}`, { data: { l: left, r: right } })
            assert.strictEqual(said, `${held}`, operator)
          }
        }
      })
  )

  it("a filter compares texts that are no numbers by their letters", () =>
    assert.strictEqual(
      body("{{filter \"\" \"l\" \"LESS_THAN\" r}} {{filter \"\" \"r\" \"LESS_THAN\" \"2\"}}", {
        data: { l: "2026-01-09", r: "2026-01-10" }
      }),
      "true false"
    ))

  it("a text contains what stands in it, and a list its items; nothing else contains anything", () => {
    assert.strictEqual(
      say("{{contains \"a42\" 42}} {{contains list \"a\"}} {{contains list \"b\"}} {{contains \"\" \"\"}}"),
      "true true false true"
    )
    for (const args of ["two 2", "missing \"\"", "none \"\"", "\"text\"", "\"text\" none", "yes \"true\""])
      assert.strictEqual(say(`{{#contains ${args}}}a{{else}}b{{/contains}}`), "b", args)
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
