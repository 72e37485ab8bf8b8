import { nestsDeeper } from "#src/content/Nesting.ts"
import { assert, describe, it } from "@effect/vitest"

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)

describe("Nesting of a JSON text", () => {
  it("counts as nested what is, whatever stands beside it or in its texts", () => {
    const brackets = "[{".repeat(100)
    const shallow = [
      nested(32, "[{\"a\":", "}]"),
      `[${"[],{},".repeat(100)}0]`,
      JSON.stringify(brackets),
      JSON.stringify({ [`"${brackets}`]: `\\"${brackets}` }),
      JSON.stringify(["\\", `${brackets}\n`, "\""])
    ]
    for (const json of shallow) assert.isFalse(nestsDeeper(json, 64), json.slice(0, 40))
    for (const json of [nested(33, "[{\"a\":", "}]"), `["\\"]]]]", ${nested(64, "[", "]")}]`])
      assert.isTrue(nestsDeeper(json, 64), json.slice(0, 40))
  })
})
