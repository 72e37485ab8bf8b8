import { rendered, send } from "#test/contracts/VendorRow.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Text messages", () => {
  it.live("a list in Twilio's override is a field that comes several times, and null is none", () =>
    Effect.gen(function*() {
      const MediaUrl = ["https://example.com/a.png", "https://example.com/b.png"]
      const override = { body: { MediaUrl, From: null, SendAsMms: true } }
      const { seen } = yield* send(Sms.twilio, Sms.twilio.success, { more: { override } })
      const form = new URLSearchParams(seen[0]?.body)
      assert.deepStrictEqual([form.getAll("MediaUrl"), form.getAll("From"), form.getAll("SendAsMms")], [
        MediaUrl,
        [],
        ["true"]
      ])
    }))

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
