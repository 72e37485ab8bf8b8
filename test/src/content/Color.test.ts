import { readableOn } from "#src/content/html/Color.ts"
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
  }, { arbitrary: { runs: 500 } })

  it("is white on a color that is not known, and the short form is read like the long one", () => {
    assert.strictEqual(readableOn("rebeccapurple"), "#ffffff")
    assert.strictEqual(readableOn("#f73"), readableOn("#ff7733"))
  })
})
