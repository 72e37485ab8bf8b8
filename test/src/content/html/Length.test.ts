import { length, lineHeight, padding } from "#src/content/html/Length.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** None of these is a length, alone or beside others. */
const others = [
  "px",
  "%",
  "-1px",
  "1em",
  "1px;",
  ".5",
  "1.",
  "10000",
  "1.0625",
  "calc(1px)",
  "auto",
  "1px;x:y",
  "url(x)",
  "1/2",
  "1,2"
] as const

const parts = [...others, "", " ", "\n", "0", "7", "4", "4.001", "12.5px", "50%", ";", ":", "\"", "("] as const

describe("What may stand in a style", () => {
  it("as a length is a number of pixels or a percentage", () => {
    const examples = [["120px", "120px"], ["50%", "50%"], ["7", "7px"], [" 12.5px\n", "12.5px"], [
      "9999.125",
      "9999.125px"
    ]]
    for (const [said = "", written] of examples) assert.strictEqual(length(said), written)
    for (const said of [...others, "", "1 px", "1px 2px"]) assert.isUndefined(length(said), said)
  })

  it("as a line's height is a length, or a number of letters if it is too small for one of pixels", () => {
    const examples = [["1.5", "1.5"], [" 1 \n", "1"], ["0", "0"], ["4", "4"], ["4.001", "4.001px"], ["30", "30px"], [
      "1.5px",
      "1.5px"
    ], ["150%", "150%"]]
    for (const [said = "", written] of examples) assert.strictEqual(lineHeight(said), written, said)
    for (const said of [...others, "", "1 2", "1.5 px"]) assert.isUndefined(lineHeight(said), said)
  })

  it("as a padding is a length of all sides, or up to four of them", () => {
    const examples = [
      ["7", "7px"],
      ["10px 20px", "10px 20px"],
      [" 1  2%\n3px ", "1px 2% 3px"],
      ["1 2 3 4", "1px 2px 3px 4px"]
    ]
    for (const [said = "", written] of examples) assert.strictEqual(padding(said), written)
    for (const said of ["", " ", "1 2 3 4 5", ...others, ...others.flatMap((one) => [`7 ${one}`, `${one} 7`])])
      assert.isUndefined(padding(said), said)
  })

  it.prop("is nothing but lengths, whatever is said", { of: Schema.Array(Schema.Literals(parts)) }, ({ of }) => {
    const said = of.join("")
    assert.match(lineHeight(said) ?? "0", /^[\d.]+(?:px|%)?$/)
    assert.match(padding(said) ?? "0px", /^[\d.]+(?:px|%)(?: [\d.]+(?:px|%)){0,3}$/)
  }, { arbitrary: { runs: 500 } })
})
