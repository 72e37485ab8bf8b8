import { segmentsOf } from "#src/content/Segments.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SegmentedMessage } from "sms-segments-calculator"

const alphabets = ["abc", "a[]€|", "aÖü ", "aç", "ab😀", "👩‍👩‍👧é", "日本語", "\n "] as const

const Parts = Schema.Array(
  Schema.Struct({
    from: Schema.Literals(alphabets),
    times: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
  })
).check(Schema.isMaxLength(6))

describe("Segments", () => {
  it.effect.prop(
    "are as many as Twilio's own calculator counts",
    { parts: Parts },
    ({ parts }) =>
      Effect.sync(() => {
        const text = parts.map(({ from, times }) => from.repeat(times)).join("")
        const theirs = new SegmentedMessage(text)
        assert.deepStrictEqual(segmentsOf(text), { count: theirs.segmentsCount, encoding: theirs.encodingName })
      }),
    { arbitrary: { runs: 200 } }
  )

  it("a text of the edge, one more character, and an escape that would be split", () => {
    assert.deepStrictEqual([160, 161, 306, 307].map((length) => segmentsOf("x".repeat(length))?.count), [1, 2, 2, 3])
    assert.deepStrictEqual([70, 71, 134, 135].map((length) => segmentsOf("я".repeat(length))?.count), [1, 2, 2, 3])
    assert.strictEqual(segmentsOf(`${"x".repeat(152)}€${"x".repeat(152)}`)?.count, 3)
    assert.isUndefined(segmentsOf("x".repeat(20_000)))
  })
})
