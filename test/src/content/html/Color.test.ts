import { color, readableOn } from "#src/content/html/Color.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const part = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Rgb = Schema.Tuple([part, part, part])

const hexOf = (rgb: typeof Rgb.Type): string => `#${Buffer.from(rgb).toString("hex")}`

/** sRGB's transfer function (IEC 61966-2-1) and the weights of ITU-R BT.709, which WCAG takes over. */
const luminance = (hex: string): number => {
  const weights = [0.2126, 0.7152, 0.0722]
  return [...Buffer.from(hex.slice(1), "hex")].reduce((sum, byte, n) => {
    const value = byte / 255
    return sum + (weights[n] ?? 0) * (value > 0.04045 ? Math.pow((value + 0.055) / 1.055, 2.4) : value / 12.92)
  }, 0)
}

const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

describe("the text of a button", () => {
  it.prop("can be read: of white and near black it is the one with more contrast", { rgb: Rgb }, ({ rgb }) => {
    const background = hexOf(rgb)
    const chosen = readableOn(background)
    assert.include(["#ffffff", "#111827"], chosen)
    // WCAG 1.4.3 asks for 4.5; a gray between the two has a little less with either.
    assert.isAtLeast(contrast(background, chosen), 4.2)
    for (const text of ["#ffffff", "#111827"]) {
      assert.isAtLeast(contrast(background, chosen), contrast(background, text) - 1e-9)
    }
    assert.strictEqual(readableOn(`rgb(${rgb.join(", ")})`), chosen)
    assert.strictEqual(readableOn(`RGBA(${rgb.map((part) => `${part / 2.55}%`).join(" ")} 0.5)`), chosen)
  }, { arbitrary: { runs: 500 } })

  it("is white on a color that is not known, and the short form is read like the long one", () => {
    assert.strictEqual(readableOn("rebeccapurple"), "#ffffff")
    assert.strictEqual(readableOn("rgb(1,2,3)"), "#ffffff")
    assert.strictEqual(readableOn("#f73"), readableOn("#ff7733"))
  })

  it("is near black on a color whose name is that of a light one", () => {
    for (
      const name of ["white", "Yellow", "ivory", "snow", "beige", "gold", "orange", "pink", "lightgray", "LightBlue"]
    )
      assert.strictEqual(readableOn(name), "#111827", name)
    for (const name of ["red", "whitesmoke", "goldenrod", "darkorange"])
      assert.strictEqual(readableOn(name), "#ffffff", name)
  })
})

describe("What may stand in a style", () => {
  it("as a color is a short or long number, a name, or one of red, green, blue and opacity", () => {
    const colors = ["#1aF", "#12aBc9", "red", "RebeccaPurple", "rgb(1,2,3)", "RGBA(10%, 20%, 30%, .5)"]
    for (const said of colors) assert.deepStrictEqual([color(said), color(` ${said}\n`)], [said, said])
    const others = [
      "",
      "#",
      "#12",
      "#1234",
      "#12345",
      "#1234567",
      "#12g",
      "re",
      "a-b",
      "var(--x)",
      "rgb()",
      "rgb(a,b,c)"
    ]
    for (const said of [...others, "rgb(1,2,3", "rgb(1/2/3)", "hsl(1,2,3)", "x".repeat(21), `rgb(${"1".repeat(41)})`])
      assert.isUndefined(color(said), said)
    for (const said of colors) {
      for (const edge of [";", "\"", ";x:y", ")", "x y", "url(x)"])
        assert.deepStrictEqual([color(`${said}${edge}`), color(`${edge}${said}`)], [undefined, undefined], said)
    }
  })
})
