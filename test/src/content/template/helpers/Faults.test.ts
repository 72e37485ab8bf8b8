import { data, say } from "#test/src/content/template/helpers/Fixture.ts"
import { assertQuick, attempt, failure, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

/** Lists in lists, which say nothing. */
const nest = (depth: number): Schema.Json => depth === 0 ? [] : [nest(depth - 1)]

describe("What helpers do not do", () => {
  it("what a helper cannot do fails the rendering and says why", () => {
    const faults: ReadonlyArray<readonly [string, RegExp]> = [
      ["{{divide 1 0}}", /divide: there is no such number/],
      ["{{mod 1 0}}", /mod: there is no such number/],
      ["{{add name 1}}", /add: "ada" is not a number/],
      ["{{condition 1 \"~\" 2}}", /condition: "~" is not one of/],
      ["{{filter \"data\" \"n\" \"LIKE\" 2}}", /filter: "LIKE" is not an operator/],
      ["{{json-parse \"{\"}}", /json-parse: the text is not JSON/],
      ["{{datetime-format \"soon\" \"%Y\"}}", /datetime-format: "soon" is not a date/],
      ["{{datetime-format 1 \"%Y\" \"Mars/Base\"}}", /"Mars\/Base" is not a time zone/],
      ["{{swu_timestamp_to_time 99999999999999}}", /is not a date/],
      ...["$", "brand", "data", "event", "profile", "recipient", "refs", "urls", ""].map((name) =>
        [
          `{{set "${name}" 1}}`,
          new RegExp(`"${name.replace("$", "\\$")}" is not a name that a template may set`)
        ] as const
      ),
      ["{{format \"%d\" name}}", /format: /],
      ["{{format \"%d\"}}", /format: /],
      ["{{truncate name -1}}", /truncate: the length is not a number of characters/],
      ["{{helper 1}} {{t \"x\"}}", /malformed at character 1: "helper 1" is not understood/]
    ]
    for (const [source, detail] of faults) assert.match(failure({ body: source }, { data }), detail, source)
  })

  it("P9 no helper reaches the environment, and what they answer is data", () => {
    for (
      const key of [
        "constructor",
        "__proto__",
        "toString",
        "constructor.constructor",
        "data.__proto__.x",
        "$.constructor",
        "env"
      ]
    ) {
      for (const helper of ["path", "var"]) assert.strictEqual(say(`[{{${helper} "${key}"}}]`), "[]", key)
      assert.strictEqual(say(`{{filter "data" "${key}" "IS_EMPTY"}} {{lookup (params a=1) "${key}"}}`), "true ")
    }
    assert.strictEqual(say("{{set \"__proto__\" name}}{{__proto__}}{{polluted}}"), "ada")
    const { html, text } = render({ body: "{{concat \"**<b>\" name \"</b>**\"}} {{format \"%s\" \"<i>\"}}" }, {
      data,
      channel: "email"
    })
    assert.include(html, "**&lt;b&gt;ada&lt;/b&gt;** &lt;i&gt;")
    assert.strictEqual(text, "**<b>ada</b>** <i>")
  })

  it("ends bombs of helpers as failures, quickly", () => {
    const big = {
      "big": "x".repeat(1_000_000),
      "deep": "[".repeat(150_000) + "]".repeat(150_000),
      "digits": `${"1".repeat(1_000_000)}x`,
      "quotes": "\"\\".repeat(100_000),
      "nested": Array.from({ length: 3_000 }, () => nest(62)),
      "many": Array.from({ length: 9_000 }, () => 1)
    }
    const bombs: ReadonlyArray<readonly [string, RegExp]> = [
      [`{{set "a" "xxxxxxxxxx"}}${"{{set \"a\" (concat a a)}}".repeat(60)}`, /more than 1048576 characters/],
      [`{{#each many}}{{condition @root.big "==" @root.big}}{{/each}}`, /too much data|looks through more/],
      [`{{#each many}}{{#if (trim @root.big)}}{{/if}}{{/each}}`, /characters/],
      [`{{#each many}}{{datetime-format 1 "%A" "Asia/Kolkata"}}{{/each}}`, /more than 50000 steps/],
      [`{{json-parse deep}}`, /not JSON/],
      [`{{#each many}}{{set (concat "n" @index) 1}}{{/each}}`, /"n256" is not a name that a template may set/],
      [`{{add digits 1}}`, /add: "1{80}" is not a number/],
      [`{{json-parse quotes}}`, /not JSON/],
      [`{{#each many}}{{#if (trim @root.nested)}}{{/if}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{lookup @root.a @root.nested}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{@root.nested}}{{/each}}`, /looks through more|renders to more/],
      [`{{format "${"%1$s".repeat(900)}" big}}`, /malformed|format|characters/],
      [`{{format "${"%999d".repeat(700)}" 1}}`, /format/],
      [`{{concat ${"big ".repeat(900)}}}`, /looks through more/],
      [`{{#each many}}{{lookup @root.a @root.many}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{conditional 1 1 operator=@root.big}}{{/each}}`, /looks through more/],
      [`{{#each many}}{{t "k" context=@root.big}}{{/each}}`, /looks through more/],
      [`{{t "${"{a}".repeat(900)}" a=big}}`, /looks through more/],
      [`{{truncate ${"(concat \"a\" ".repeat(40)}"b"${")".repeat(40)} 1}}`, /malformed/]
    ]
    for (const [source, detail] of bombs) {
      assert.match(failure({ body: source }, { data: big }), detail, source.slice(0, 80))
      assertQuick(() => failure({ body: source }, { data: big }), source.slice(0, 80))
    }
  })

  it.effect.prop(
    "any format is answered, no shorter than it says, or refused",
    {
      flags: Schema.Literals(["", "-", "0", "+", "+0", "'*", "-'*"]),
      width: Schema.Literals(["", "1", "12"]),
      precision: Schema.Literals(["", ".0", ".1", ".99"]),
      kind: Schema.Literals([..."%bcdeEfFgiosuxX"]),
      value: Schema.Union([Schema.Finite, Schema.Int, Schema.String, Schema.Literals([-1, 0, 65, 1_114_112])])
    },
    ({ flags, kind, precision, value, width }) =>
      Effect.sync(() => {
        // Characters that Unicode keeps for a program's inner use are dropped.
        const v = typeof value === "string" ? value.replaceAll(/[\uFDD0-\uFDEF]/g, "") : value
        const source = `{{format "%${flags}${width}${precision}${kind}" v}}`
        const said = attempt({ title: "t", body: source }, { data: { v } })
        const least = "%c".includes(kind) ? 0 : Number(width)
        if (Result.isSuccess(said)) assert.isAtLeast(said.success.body.length, least, source)
        else assert.match(said.failure.detail, /^format: /, source)
      }),
    { arbitrary: { runs: 1_000 } }
  )
})
