import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Storable from "#src/delivery/intake/Storable.ts"
import { assert, describe, it } from "@effect/vitest"

const nul = "a\u0000"
/** In characters of two bytes, so that it is too long in bytes alone. */
const long = "é".repeat(1_201)
const fits = "é".repeat(1_200)

const messages: ReadonlyArray<readonly [path: string, (text: string) => Instructions]> = [
  ["template", (template) => ({ template })],
  ["tenant_id", (tenant_id) => ({ tenant_id })],
  ["context.tenant_id", (tenant_id) => ({ context: { tenant_id } })],
  ["metadata.event", (event) => ({ metadata: { event } })],
  ["metadata.trace_id", (trace_id) => ({ metadata: { trace_id } })],
  ["metadata.tags[1]", (tag) => ({ metadata: { tags: ["a", tag] } })]
]

const recipients: ReadonlyArray<readonly [path: string, (text: string) => Recipient]> = [
  ["tenant_id", (tenant_id) => ({ tenant_id })],
  ["account_id", (account_id) => ({ account_id })],
  ["context.tenant_id", (tenant_id) => ({ context: { tenant_id } })],
  ["list_id", (list_id) => ({ list_id })]
]

describe("What the database takes", () => {
  it.each(messages)(
    "P1: %s of a message is refused before its 202 where its column would refuse it",
    (path, message) => {
      assert.strictEqual(Storable.refusedOfMessage(message(nul)), path)
      assert.isUndefined(Storable.refusedOfMessage(message("a")))
    }
  )

  it.each(recipients)(
    "P1: %s of a recipient is refused before its 202 where its column would refuse it",
    (path, recipient) => {
      const refused = (text: string) => Storable.refusedOfRecipient({ recipient: recipient(text), identity: undefined })
      assert.deepStrictEqual([refused(nul), refused("a")], [path, undefined])
    }
  )

  it("P1: so is what a recipient is known by, wherever it comes from; what it only brings along is not", () => {
    const recipient = { data: { a: nul }, slack: { channel: { deep: [nul] } } }
    const refused = (key: string, name: string) => Storable.refusedOfRecipient({ recipient, identity: { key, name } })
    assert.deepStrictEqual([refused(nul, "a"), refused("a", nul), refused("a", "a")], ["slack", "slack", undefined])
  })

  it("P1: names that no index takes are refused, by their bytes", () => {
    const of = (key: string) => Storable.isTooLong({ recipient: {}, identity: { key, name: "a" } })
    assert.deepStrictEqual([of(long), of(fits), of("")], [true, false, false])
  })

  it("the names in a message are as long as an id at most", () => {
    const tooLong = (text: string): ReadonlyArray<string | undefined> => [
      Storable.tooLongOfMessage({ tenant_id: text }),
      Storable.tooLongOfMessage({ context: { tenant_id: text } }),
      Storable.tooLongOfMessage({ brand_id: text }),
      Storable.tooLongOfMessage({ channels: { sms: {}, email: { brand_id: text } } }),
      Storable.tooLongOfMessage({ metadata: { event: text } }),
      Storable.tooLongOfMessage({ preferences: { subscription_topic_id: text } })
    ]
    assert.deepStrictEqual(tooLong("é".repeat(513)), [
      "tenant_id: Expected at most 512 characters",
      "context.tenant_id: Expected at most 512 characters",
      "brand_id: Expected at most 512 characters",
      "channels.email.brand_id: Expected at most 512 characters",
      "metadata.event: Expected at most 512 characters",
      "preferences.subscription_topic_id: Expected at most 512 characters"
    ])
    assert.isTrue(tooLong("é".repeat(512)).every((said) => said === undefined))
  })
})
