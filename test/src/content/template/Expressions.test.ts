import type { Scope } from "#src/content/Variables.ts"
import { type Chooser, chooser, Choices } from "#test/src/content/Choices.ts"
import * as Handlebars from "#test/src/content/template/Handlebars.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const data = {
  "name": "Ada",
  "zero": 0,
  "none": null,
  "list": ["a", "b"],
  "user": { "name": "Eve", "k": 1, "it": "own", "this": "me", "..": "up", "a]b": "odd", "as": { "name": "role" } },
  "it": "top",
  "at": "there",
  "2a": "a name",
  "true": "yes",
  "2": "two",
  "a\"b": "said",
  "a'b": "told"
}

const steps = [
  "name",
  "user",
  "k",
  "it",
  "as",
  "list",
  "[0]",
  "length",
  "[name]",
  "[a\\]b]",
  "[k\\]",
  "[this]",
  "[..]"
] as const
const literals = [
  "2",
  "-2",
  "1.50",
  "2a",
  "true",
  "false",
  "null",
  "undefined",
  "truest",
  "\"x\"",
  "'x'",
  "\"a\\\"b\"",
  "'a\\'b'",
  "'a\\\"b'",
  "\"a\\'b\"",
  "\"a b) = }}\"",
  "'\\\\'"
] as const

const pathOf = ({ below, from }: Chooser): string => {
  const first = from(["", "", "", "./", "this.", "this/", "../", ".././", "@root.", "@root/"])
  const rest = Array.from({ length: 1 + below(2) }, () => `${from([".", "/"])}${from(steps)}`).join("").slice(1)
  const path = first + rest
  return from([path, path, path, "this", ".", "..", `${path}.this`, `${path}/../name`])
}

/** What may stand in a tag, and some that may not. */
const expressionOf = (choose: Chooser, depth: number): string =>
  choose.below(4) === 0 ? operandOf(choose, 0) : callOf(choose, depth)

const space = ({ from }: Chooser): string => from([" ", " ", "  ", "\n", "\t"])

const operandOf = (choose: Chooser, depth: number): string => {
  const kind = choose.below(depth > 0 ? 4 : 3)
  if (kind === 0) return choose.from(literals)
  return kind < 3 ? pathOf(choose) : `(${callOf(choose, depth - 1)}${choose.from(["", space(choose)])})`
}

const callOf = (choose: Chooser, depth: number): string => {
  const { below, from } = choose
  const words = (count: number) =>
    Array.from({ length: count }, () => space(choose) + operandOf(choose, depth)).join("")
  switch (below(3)) {
    case 0:
      // Of what is false Handlebars answers that, whatever is looked up in it.
      return `lookup${space(choose)}${pathOf(choose)}${words(1)}`
    case 1:
      return `default${words(2)}`
    default: {
      const separator = from(["", "", ` separator${from(["=", " = "])}${operandOf(choose, depth)}`])
      return `concat${words(1 + below(2))}${separator}${from(["", "", "", words(1)])}`
    }
  }
}

const tagsOf = (choose: Chooser): string => {
  const { from } = choose
  const expression = expressionOf(choose, 2)
  const argument = expression.includes(" ") ? `(${expression})` : expression
  const names = from([
    "",
    " as |it|",
    " as |it at|",
    " as | it  at |",
    " as |other|",
    " as ||",
    " as |it.at|",
    " as |1 it|"
  ])
  const inside = "[{{it}} {{./it}} {{this.it}} {{../it}} {{at}} {{name}} {{it.name}}]"
  const zero = from(["", "", " includeZero=true", " includeZero=false"])
  return from([
    `{{${expression}}}`,
    `{{{ ${expression} }}}`,
    `{{~{${expression}}~}} .`,
    `{{&${expression}}}`,
    `{{#with ${argument}${names}}}${inside}{{else}}none{{/with}}`,
    `{{#each ${argument}${names}}}${inside}{{else}}none{{/each}}`,
    `{{#if ${argument}${zero}}}some{{else}}none{{/if}}`,
    `{{#unless ${argument}${zero}}}none{{else}}some{{/unless}}`
  ])
}

const said = (source: string, more?: Partial<Scope>): string => Handlebars.ours(source, { data, ...more })

describe("Expressions of templates", () => {
  it("a step in brackets is a key, whatever it says, and a backslash keeps a bracket in it", () => {
    const found = (path: string): string => said(`{{user.${path}}}`)
    assert.deepStrictEqual(["[this]", "[..]", "[a\\]b]", "as.[name]"].map(found), ["me", "up", "odd", "role"])
  })

  it("a backslash keeps in a text the quotes that it stands in, and is itself before others", () => {
    const written = ["\"a\\\"b\"", "'a\\'b'", "'a\\\"b'", "\"a\\'b\"", "\"a\\b\"", "''"]
    assert.deepStrictEqual(written.map((text) => said(`{{concat ${text} "."}}`)), [
      "a\"b.",
      "a'b.",
      "a\\\"b.",
      "a\\'b.",
      "a\\b.",
      "."
    ])
  })

  it("a named value is found before data of its name, but not where the path says whose it is", () => {
    const source = "{{#with user as |it|}}{{it.name}} {{./it}} {{this.it}} {{../it}}{{/with}} {{it}}"
    assert.strictEqual(said(source), "Eve own own top top")
    const each = "{{#each list as  \t | it at |}}{{it}}{{at}} {{/each}}{{#each user as |it key|}}{{key}},{{/each}}"
    assert.strictEqual(said(each), "a0 b1 name,k,it,this,..,a]b,as,")
    assert.strictEqual(said("{{#with user as |it name|}}[{{name}}]{{/with}}"), "[]")
  })

  it("null is a value, and undefined is none", () => {
    const strict = (source: string) => said(source, { throwing: true })
    assert.strictEqual(strict("[{{set \"x\" null}}{{x}}]"), "[]")
    assert.strictEqual(strict("[{{set \"x\" undefined}}{{x}}]"), "The variable \"x\" was not found")
    assert.strictEqual(said("{{default null 1}}{{default undefined 2}}"), "12")
  })

  it("only a helper's bare name calls it, and its named arguments are its last", () => {
    const wrong = [
      "../concat name",
      "./concat name",
      "concat.x name",
      "concat separator=1 name",
      "concat \"a\"\"b\"",
      "concat"
    ]
    const read = wrong.map((expression) =>
      said(`{{${expression}}}`).replace(/^The template is malformed.*/, "malformed")
    )
    assert.deepStrictEqual(read, [...wrong.slice(1).map(() => "malformed"), ""])
  })

  it.effect.prop(
    "say what Handlebars says, and what it cannot read is malformed",
    { choices: Choices },
    ({ choices }) =>
      Effect.sync(() => {
        const source = tagsOf(chooser(choices))
        if (!Handlebars.reads(source)) assert.match(said(source), /malformed/, source)
        const expected = Handlebars.theirs(source, data)
        if (expected !== undefined) assert.strictEqual(said(source), expected, source)
      }),
    { arbitrary: { runs: 1_000 } }
  )
})
