import { cut } from "#src/content/Cut.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Cut", () => {
  it.effect.prop(
    "a text is whole where it fits, or else as much of its whole characters and escapes as do, and an ellipsis",
    {
      parts: Schema.Array(Schema.Literals(["a", "é", "😀", "\n", "\\\\", "\\n", "\\\"", "\\😀"])),
      longest: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))
    },
    ({ longest, parts }) =>
      Effect.sync(() => {
        const text = parts.join("")
        let kept = ""
        for (const part of parts) {
          if ((kept + part).length >= longest) break
          kept += part
        }
        assert.strictEqual(cut(text, longest), text.length <= longest ? text : `${kept}…`)
      })
  )
})
