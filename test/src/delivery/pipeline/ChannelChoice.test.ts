import type { Routing } from "#schemas/Routing.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as ChannelChoice from "#src/delivery/pipeline/ChannelChoice.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"

const configured = [Fake.nothing("smtp", "email"), { ...Fake.nothing("twilio", "sms"), names: ["texts"] }]

/** A strategy's routing with a condition at each of its channels, or, the same otherwise, without. */
const routing = (condition?: string): Routing => ({
  method: "single",
  channels: [
    { channel: "email", if: condition, providers: ["smtp"], timeouts: 5 },
    "inbox",
    { provider: "texts", if: "data.texts" },
    { method: "all", channels: ["push", { channel: "webhook", if: condition }] }
  ]
})

const strategy = {
  routing: routing("data.often"),
  channels: { email: { if: "data.mail", timeout: 1 }, sms: { if: "data.text", brand_id: "b" } },
  providers: { smtp: { if: "data.smtp" } }
}

const freed = (sent: Instructions) => ChannelChoice.unconditioned(Settings.routed(sent, strategy), sent)

describe("ChannelChoice", () => {
  it("a recipient's choice beats the conditions that the strategy has for channels, and changes nothing else", () => {
    const sent: Instructions = { content: { title: "Hello", body: "" }, data: { a: 1 }, timeout: { message: 5 } }
    for (const none of [{}, { routing: null, channels: null }]) {
      assert.deepStrictEqual(freed({ ...sent, ...none }), {
        ...sent,
        ...none,
        routing: routing(),
        channels: { email: { timeout: 1, if: undefined }, sms: { brand_id: "b", if: undefined } },
        providers: strategy.providers
      })
    }
  })

  it("the message's own conditions stay", () => {
    const own = routing("data.own")
    const { channels, routing: found } = freed({ routing: own, channels: { email: { if: "data.own" }, push: {} } })
    assert.deepStrictEqual(found, own)
    assert.deepStrictEqual(channels, {
      email: { timeouts: { channel: 1 }, if: "data.own" },
      sms: { brand_id: "b", if: undefined },
      push: { if: undefined }
    })
  })

  it("a channel named as a member of every object has no condition of the message's", () => {
    const channels = { constructor: { if: "false" } }
    const { channels: found } = ChannelChoice.unconditioned({ channels }, { channels: {} })
    assert.deepStrictEqual(found, { constructor: { if: undefined } })
  })

  it("a provider stands for its channel, and each channel is named once", () => {
    assert.deepStrictEqual(ChannelChoice.named({ routing: routing() }, configured), [
      "email",
      "inbox",
      "sms",
      "push",
      "webhook"
    ])
    const channels = ["texts", "smtp", "email", { provider: "none" }, "none"]
    assert.deepStrictEqual(ChannelChoice.named({ routing: { method: "single", channels } }, configured), [
      "sms",
      "email",
      "none"
    ])
    for (const none of [undefined, null]) {
      assert.include(ChannelChoice.named({ routing: none }, configured), "direct_message")
    }
  })
})
