import { assertQuick, body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const said = (list: string, data: Schema.JsonObject = {}): string =>
  body(`{{#each (${list})}}[{{this}}]{{else}}none{{/each}}`, { data })

const small = Schema.Int.check(Schema.isBetween({ minimum: -9, maximum: 9 }))

describe("Lists that templates make", () => {
  it("split has the parts of a text", () => {
    assert.strictEqual(said("split \"red,green,,blue\" \",\""), "[red][green][][blue]")
    assert.strictEqual(said("split \"red\" \"\""), "[r][e][d]")
    assert.strictEqual(said("split \"\" \",\""), "[]")
    for (const args of ["missing \",\"", "1 \",\"", "\"a\"", "\"a\" 1"])
      assert.match(failure({ body: `{{split ${args}}}` }), /^split: ".*" is not a text$/, args)
  })

  it.effect.prop(
    "range counts from its first number to before its last one",
    { first: small, last: small, step: small },
    ({ first, last, step }) =>
      Effect.sync(() => {
        const numbers = Array.from({ length: 20 }, (_, n) => first + n * step)
          .filter((at) => step > 0 ? at < last : at > last)
        const all = numbers.length === 0 || last === 0 ? "none" : numbers.map((at) => `[${at}]`).join("")
        const source = `range ${first} ${last} ${step}`
        if (step === 0) assert.strictEqual(failure({ body: `{{${source}}}` }), "range: a step of zero never ends")
        else assert.strictEqual(said(source), all, source)
        assert.strictEqual(said(`range "${first}" last`, { last: `${last}` }), said(`range ${first} ${last} 1`))
        assert.strictEqual(said(`range ${last}`), said(`range 0 ${last} 1`))
      })
  )

  it("range takes numbers alone", () => {
    for (const args of ["\"a\"", "1 missing", "1 2 yes", "\"1e999\"", "0 1 \"-1e999\""])
      assert.match(
        failure({ body: `{{range ${args}}}` }, { data: { yes: true } }),
        /^range: ".*" is not a number$/,
        args
      )
  })

  it("what is too long ends at the limits at once", () => {
    const data = { text: "a,".repeat(500_000) }
    const bombs = [
      "range 1000000000",
      "range 0 1 0.000000001",
      "range \"1e16\" \"10000000001000000\"",
      "split text \"\"",
      "concat (split text \",\") (split text \",\") (split text \",\")"
    ]
    for (const bomb of bombs) {
      assertQuick(() => {
        assert.match(
          failure({ body: `{{#each (${bomb})}}{{/each}}` }, { data }),
          /more than \d+ (?:characters|turns)/,
          bomb
        )
      }, bomb)
    }
  })
})
