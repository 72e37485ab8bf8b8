import { lengthOf, part } from "#src/content/jsonnet/Text.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const letters = ["a", "é", "😀", "\ud83d", "\ude00", "\u200d"]

const Letters = Schema.Array(Schema.Literals(letters))
const Bound = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))

describe("The characters of a Jsonnet text", () => {
  it.effect.prop(
    "are those that JavaScript's iterator finds: a surrogate pair is one, and so is half of one",
    { of: Letters, from: Bound, to: Bound },
    ({ from, of, to }) =>
      Effect.sync(() => {
        const text = of.join("")
        const all = [...text]
        assert.strictEqual(lengthOf(text), all.length)
        assert.strictEqual(part(text, from, to), all.slice(from, to).join(""))
      })
  )
})
