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

const counts = (of: (length: number) => string, ...lengths: ReadonlyArray<number>) =>
  lengths.map((length) => segmentsOf(of(length))?.count)

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

  it("each character has the alphabet, and takes the places, that it has in Twilio's calculator", () => {
    // GSM 03.38 is Latin, some Greek, and the euro.
    const range = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => String.fromCharCode(from + n))
    for (const character of [...range(0, 0x100), ...range(0x391, 0x3ca), "ş", "€", "™", "я", "日"]) {
      // 81 are one segment where each takes one place, and two where it takes two.
      for (const text of [character, character.repeat(81)]) {
        const { encodingName, segmentsCount } = new SegmentedMessage(text)
        assert.deepStrictEqual(segmentsOf(text), { count: segmentsCount, encoding: encodingName }, text)
      }
    }
  })

  it("a text of the edge, one more character, and an escape that would be split", () => {
    assert.deepStrictEqual(counts((length) => "x".repeat(length), 160, 161, 306, 307), [1, 2, 2, 3])
    assert.deepStrictEqual(counts((length) => "€".repeat(length), 79, 80, 81, 152, 153), [1, 1, 2, 2, 3])
    assert.deepStrictEqual(counts((length) => "я".repeat(length), 70, 71, 134, 135), [1, 2, 2, 3])
    assert.strictEqual(segmentsOf(`${"x".repeat(152)}€${"x".repeat(152)}`)?.count, 3)
  })

  it("a character of more marks than a segment has room for fills all of each that it is in", () => {
    const before = (length: number) => `${"я".repeat(60)}e${"\u0301".repeat(length - 1)}`
    assert.deepStrictEqual(counts((length) => `e${"\u0301".repeat(length - 1)}`, 70, 71, 134, 135, 201, 202), [
      1,
      2,
      2,
      3,
      3,
      4
    ])
    assert.deepStrictEqual(counts(before, 74, 75, 141, 142), [2, 3, 3, 4])
    for (const length of [68, 74, 100, 140, 141]) {
      for (const more of [0, 1, 20, 66, 67, 68]) {
        const text = `${before(length)}${"я".repeat(more)}`
        assert.strictEqual(segmentsOf(text)?.count, Math.ceil(text.length / 67), `${length} ${more}`)
      }
    }
  })

  it("are not counted for a text that no vendor takes", () => {
    for (const character of ["x", "я"]) {
      assert.isDefined(segmentsOf(character.repeat(16_384)))
      assert.isUndefined(segmentsOf(character.repeat(16_385)))
    }
  })
})
