import { Budget } from "#src/content/Budget.ts"
import { parse } from "#src/content/template/Parser.ts"
import { run } from "#src/content/template/Run.ts"
import { rootOf } from "#src/content/Variables.ts"
import { type Chooser, chooser, Choices } from "#test/src/content/Choices.ts"
import { nothing } from "#test/src/content/Scopes.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import Handlebars from "handlebars"

const data = {
  "name": "Ada B",
  "count": 0,
  "yes": true,
  "no": false,
  "nothing": null,
  "empty": [],
  "list": ["a", "b"],
  "items": [{ "name": "one", "tags": ["x", "y"], "key": "k" }, { "name": "two", "tags": [], "key": "z" }],
  "user": { "name": "Eve", "k": 1, "address": { "city": "Rome" } }
}

const render = (source: string, over: Schema.JsonObject = data): string => {
  const budget = new Budget()
  const program = parse(source, () => true)
  if (program === undefined) return "! unpaid"
  if (Result.isFailure(program)) return `! ${program.failure.detail}`
  const output = run(program.success, rootOf({ ...nothing, data: over }), budget, {
    text: (text) => text,
    value: (text) => text
  })
  return budget.failure === undefined ? output : `! ${budget.failure.detail}`
}

const paths = [
  "name",
  "count",
  "yes",
  "no",
  "nothing",
  "missing",
  "missing.deeper",
  "list",
  "list.[0]",
  "list.length",
  "items.0.name",
  "user.name",
  "user/address/city",
  "this.name",
  "./name",
  "this",
  "../name",
  "../../count",
  "@index",
  "@key",
  "@first",
  "@last",
  "@../index",
  "@root.user.name",
  "[name]",
  "lookup user 'k'",
  "lookup user (lookup this 'key')",
  "it",
  "it.name",
  "place"
] as const

const texts = ["", "x", " ", "\n", "  \n", "\n  ", " a\n ", "\\{{no}} ", "{ } }} ", "\r\n", "\\\\"] as const

/** A template that Handlebars can render, with all the white space it may care about. */
const templateOf = ({ below, from }: Chooser, depth: number): string => {
  const open = (): string => from(["{{", "{{", "{{~"])
  const close = (): string => from(["}}", "}}", "~}}"])
  const subject = (): string =>
    from([
      "list",
      "items",
      "user",
      "empty",
      "tags",
      "this.tags",
      "nothing",
      "yes",
      "no",
      "count",
      "this",
      "../items",
      "user.address"
    ])
  const inner = (): string => templateOf({ below, from }, depth - 1)
  const part = (): string => {
    switch (below(depth > 0 ? 7 : 3)) {
      case 0:
        return from(texts)
      case 1:
        return `${open()}${from(["", " "])}${from(paths)} ${close()}`
      case 2:
        return from(["{{! note }}", "{{!-- a }} b --}}", "{{{name}}}", "{{&name}}", "\n {{! alone }} \n"])
      case 3: {
        const kind = from(["each", "with", "if", "unless"])
        const names = kind === "each" ? from(["", "", " as |it place|"]) : kind === "with" ? from(["", " as |it|"]) : ""
        const otherwise = from([
          "",
          `${open()}else${close()}${inner()}`,
          `${open()}^${close()}${inner()}`,
          `{{else if ${subject()}}}${inner()}{{else}}${inner()}`
        ])
        return `${open()}#${kind} ${subject()}${names}${close()}${inner()}${otherwise}${open()}/${kind}${close()}`
      }
      case 4: {
        const name = from(["list", "items", "user", "no", "yes", "nothing", "empty"])
        return `${open()}#${name}${close()}${inner()}${open()}/${name}${close()}`
      }
      case 5: {
        const name = from(["list", "no", "nothing", "empty"])
        return `${open()}^${name}${close()}${inner()}${open()}/${name}${close()}`
      }
      default:
        return `${from(texts)}${inner()}`
    }
  }
  return Array.from({ length: 1 + below(4) }, part).join("")
}

const oracle = (source: string): string => Handlebars.create().compile(source)(data)

describe("Template", () => {
  it.effect.prop("renders as Handlebars does", { choices: Choices }, ({ choices }) =>
    Effect.sync(() => {
      const source = templateOf(chooser(choices), 3)
      // Handlebars trims the branches of an `else if` by rules of its own.
      const seen = (text: string): string => source.includes("else if") ? text.replaceAll(/\s/g, "") : text
      assert.strictEqual(seen(render(source)), seen(oracle(source)), JSON.stringify(source))
    }), { arbitrary: { runs: 1_500, size: 150 } })

  it.effect.prop(
    "answers any text in time linear in its length",
    { text: Schema.String, choices: Choices },
    ({ choices, text }) =>
      Effect.sync(() => {
        const { from } = chooser(choices)
        const noise = choices.map(() =>
          from([
            "{{",
            "}}",
            "{{{",
            "{{#",
            "{{/",
            "{{else",
            "{{!",
            "--",
            "~",
            "if",
            "each",
            " ",
            "(",
            ")",
            "\"",
            "'",
            "[",
            "]",
            "a",
            ".",
            "|",
            "as",
            "\\",
            "@",
            "&",
            "^",
            "\n",
            text
          ])
        ).join("")
        assert.isString(render(noise))
      })
  )

  it("refuses what a template may not do, naming the place", () => {
    const refused = [
      "{{> (lookup . \"partial\")}}",
      "{{> ../partial}}",
      "{{> @partial-block}}",
      "{{> partial a b}}",
      "{{> partial as |a|}}",
      "{{> }}",
      "{{replace-all \"a\" \"b\"}}",
      "{{#replace-all \"a\"}}{{/replace-all}}",
      "{{#replace-all \"a\" \"b\" \"c\"}}{{/replace-all}}",
      "{{#> partial}}{{/partial}}",
      "{{* decorator}}",
      "{{{{raw}}}}x{{{{/raw}}}}",
      "{{helper 1}}",
      "{{(lookup a)}}",
      "{{a=b}}",
      "{{a",
      "{{#if a}}",
      "{{/if}}",
      "{{#if a}}{{/each}}",
      "{{else}}",
      "{{#if}}{{/with}}",
      "{{}}",
      "{{a b=1}}"
    ]
    for (const source of refused) assert.match(render(source), /^! The template is malformed/, source)
    assert.strictEqual(render("hello {{name"), "! The template is malformed at character 7: a tag does not end")
  })

  it("ends bombs at the limits, quickly", () => {
    const { list } = { list: Array.from({ length: 12 }, () => ({})) }
    const knot: Schema.JsonObject = {
      "l": list.map(() => ({
        "l": list.map(() => ({ "l": list.map(() => ({ "l": list.map(() => ({ "l": list })) })) }))
      }))
    }
    assert.match(render("{{#each l}}".repeat(5) + "x" + "{{/each}}".repeat(5), knot), /more than 10000 turns/)
    assert.match(
      render(
        "{{#each l}}{{#each @root.l}}{{#each @root.l}}{{#each @root.l}}{{#each @root.l}}x{{/each}}{{/each}}{{/each}}{{/each}}{{/each}}",
        knot
      ),
      /more than 10000 turns/
    )
    assert.match(
      render(
        "{{#each l}}{{#each @root.l}}{{#each @root.l}}" + "{{a}}".repeat(100) + "{{/each}}{{/each}}{{/each}}",
        knot
      ),
      /more than 50000 steps/
    )
    assert.match(
      render("{{#each l}}{{@root.big}}{{/each}}", { ...knot, "big": "x".repeat(100_000) }),
      /more than 1048576 characters/
    )
    assert.match(render("{{#if a}}".repeat(33) + "{{/if}}".repeat(33)), /nested more than 32 deep/)
    assert.match(render("{{a}}".repeat(10_001)), /more than 10000 tags/)
    assert.match(render(`{{a ${"(a ".repeat(1_000)}${")".repeat(1_000)}}}`), /not understood/)
    assert.match(render(`{{${"a.".repeat(40)}a}}`), /not understood/)
    assert.match(render("{{".repeat(300_000)), /does not end/)
  })
})
