import { rendered, send } from "#test/contracts/VendorRow.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Text messages", () => {
  it.live("Vonage sends in the alphabet in which their segments are counted", () =>
    Effect.forEach(
      [
        ["It is on its way.", "text"],
        ["Größe 5, für 12 € [é]", "text"],
        ["run `id`", "unicode"],
        ["façade", "unicode"],
        ["naïve 😀", "unicode"]
      ],
      Effect.fnUntraced(function*([text = "", type]) {
        const { seen } = yield* send(Sms.vonage, Sms.vonage.success, { more: { rendered: { ...rendered, text } } })
        const body: unknown = JSON.parse(seen[0]?.body ?? "")
        assert.deepInclude(body, { text, type }, text)
      })
    ))
})
