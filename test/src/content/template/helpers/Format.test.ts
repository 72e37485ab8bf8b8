import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const numbers = Array.from({ length: 12 }, (_, n) => n + 1).join(" ")

const said = (pattern: string, values: string): string => body(`{{format "${pattern}" ${values}}}`)

const all = (examples: ReadonlyArray<readonly [string, string, string]>): void => {
  for (const [pattern, values, made] of examples) assert.strictEqual(said(pattern, values), made, pattern)
}

const refused = (...of: ReadonlyArray<readonly [string, string]>): void => {
  for (const [pattern, values] of of)
    assert.strictEqual(
      failure({ body: `{{format "${pattern}" ${values}}}` }),
      "format: the format and its values do not fit",
      pattern
    )
}

describe("Formats of templates", () => {
  it("take their values in order, or by their place", () => {
    all([
      ["%d %d %d", "1 2 3", "1 2 3"],
      ["%12$d %1$d %d %d", numbers, "12 1 1 2"],
      ["%2$s%2$s", "1 2", "22"]
    ])
    refused(["%d %d", "1"], ["%s", ""], ["%s %s", "1"], ["%3$d", "1 2"], ["%0$d", "1"], ["%13$d", numbers])
  })

  it("fill a width of up to three digits with spaces, zeros or a character of their own", () => {
    all([
      ["%100d|", "7", `${" ".repeat(99)}7|`],
      ["%-100d|", "7", `7${" ".repeat(99)}|`],
      ["%'é3d|%'x3d|%-'x3d|", "7 7 7", "éé7|xx7|7  |"],
      ["%05d|%-05d|%+05d|%+5d|%-+5d|", "-7 -7 7 7 7", "-0007|-7   |+0007|   +7|+7   |"],
      ["%05s|%+s|%+d|%+d|%+x", "\"ab\" \"ab\" -7 0 255", "   ab|ab|-7|+0|+ff"],
      ["%2d", "12345", "12345"]
    ])
    // Half of a pair would be left over.
    refused(["%1000d", "7"], ["%'😀4d", "7"])
  })

  it("show digits as precise as they are asked for", () => {
    all([
      ["%.0f|%.1f|%.10f|%f", "2.5 2.25 0.1 0.1", "3|2.3|0.1000000000|0.1"],
      ["%.0g|%.1g|%.3g|%g", "1234.5 1234.5 1234.5 1234.5", "1000|1000|1230|1234.5"],
      ["%.3e|%E", "12346 12345", "1.235e+4|1.2345E+4"],
      ["%.12s|%.0s|%.1s", "\"abc\" \"abc\" \"😀\"", "abc||"]
    ])
    refused(["%.100f", "1"])
  })

  it("show whole numbers in their base, as 32 bits without a sign where it has none", () => {
    all([
      ["%d %i %u", "-7.9 7.9 7.9", "-7 7 7"],
      ["%x %X %o %b %u", "-1 -1 -1 -1 -1", `ffffffff FFFFFFFF 37777777777 ${"1".repeat(32)} 4294967295`],
      ["%x", "255.9", "ff"]
    ])
  })

  it("make a character of the number of one, and of no other number", () => {
    all([["%c%c%c", "65.9 128512 \"66\"", "A😀B"], ["%c", "1114111", "\u{10ffff}"]])
    refused(["%c", "-1"], ["%c", "1114112"], ["%c", "\"a\""])
  })

  it("say a percent sign with two, and are refused where one begins nothing", () => {
    all([["100%% %d%%", "5", "100% 5%"], ["none", "", "none"]])
    refused(["100%", ""], ["%", "1"], ["%q", "1"], ["% d", "1"], ["%d", "\"a\""], ["%f", "true"], ["%x", "none"])
  })

  it("have at most 4,096 characters, and make no more than content may", () => {
    const data = { long: "x".repeat(4_096), longer: "x".repeat(4_097), wide: "%999d".repeat(500) }
    assert.strictEqual(body("{{format long}}", { data }), data.long)
    assert.match(failure({ body: "{{format longer}}" }, { data }), /^format: /)
    const many = { data: { pattern: "%1$s".repeat(1_000), text: "x".repeat(1_000_000) } }
    assert.match(failure({ body: "{{format pattern text}}" }, many), /^format: /)
    assert.lengthOf(body("{{format wide 1}}".replace(" 1", " 1".repeat(500)), { data }), 500 * 999)
  })
})
