import * as Conditions from "#src/delivery/Conditions.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const holds = (expression: string): boolean | string =>
  Result.match(Conditions.evaluate(expression, { data: { user: { isPremium: true }, n: 3 }, profile: {} }), {
    onSuccess: (held) => held,
    onFailure: (error) => error.detail
  })

describe("A condition in the braces of templates", () => {
  it("is the one inside, as in an example of the compatible service's documentation", () => {
    const held = ["{{user.isPremium}}", " {{ data.n === 3 }} ", "{{ data.missing }}", "{{!user.isPremium}}"].map(holds)
    assert.deepStrictEqual(held, [true, true, false, false])
  })

  it("is none if the braces are not around the whole, and faults are told by their place in the text", () => {
    for (const text of ["{{n}} === 3", "{{n}} && {{n}}", "{{{n}}}", "{n}", "{{n}"]) assert.isString(holds(text), text)
    assert.match(String(holds("{{n ===}}")), /^Invalid condition at character 8:/)
    assert.match(String(holds("{{}}")), /^Invalid condition at character /)
  })
})
