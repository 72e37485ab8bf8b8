import * as ChatText from "#layers/providers/ChatText.ts"
import * as Mail from "#layers/providers/smtp/Mail.ts"
import { delivery } from "#test/layers/providers/smtp/Deliveries.ts"
import { elements, render } from "#test/src/content/Rendering.ts"
import { segmentsOf } from "#src/content/Segments.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

/** Every control character, as text of another encoding brings them, and what some readers take for the end of a line. */
const controls = [...Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)), "\u2028", "\u2029"]
  .filter((character) => /[^\u0020-\u007e]/.test(character))

const raw = (channel: string, said: Readonly<Record<string, string>>) =>
  elements({ type: "channel", channel, raw: said })

describe("Rendered", () => {
  it("whatever character the data has, an e-mail of it can be sent over SMTP", () => {
    const contents = [
      { title: "Hello {{v}}", body: "Your order {{v}}" },
      raw("email", { subject: "Hello {{v}}", text: "Your order {{v}}", html: "<p title=\"{{v}}\">{{v}}</p>" }),
      raw("email", { subject: "Hello {{v}}", html: "<p>{{v}}</p>" })
    ]
    for (const content of contents) {
      for (const v of controls.map((character) => `a${character}b`)) {
        const { html, subject, text } = render(content, { channel: "email", data: { v } })
        const mail = Mail.fromDelivery(delivery({ subject, text, html }), { name: "", address: "a@b.test" })
        assert.isTrue(Result.isSuccess(mail), JSON.stringify({ v, mail }))
        assert.match(subject, /^Hello a b$/)
      }
    }
  })

  it("the segments of a text message are those of what the provider is given", () => {
    const contents = [
      { title: "t", body: `${"x".repeat(100)}{{v}}` },
      raw("sms", { text: `${"x".repeat(100)}{{v}}` })
    ]
    for (const content of contents) {
      for (const v of [...controls, "\r\n"]) {
        const rendered = render(content, { channel: "sms", data: { v } })
        assert.strictEqual(ChatText.sms(rendered), rendered.text, JSON.stringify(v))
        assert.deepStrictEqual(rendered.segments, segmentsOf(rendered.text))
      }
    }
  })
})
