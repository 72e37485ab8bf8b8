import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { assert, describe, it } from "@effect/vitest"

const keyOf = (recipient: Recipient, scope = Scope.make(1)) => Recipients.identify(scope, recipient)?.key

/** Recipients who are each somebody else, though they are written alike. */
const others: ReadonlyArray<Recipient> = [
  { user_id: "ada@example.com" },
  { user_id: "Ada@example.com" },
  { email: "ada@example.com" },
  { email: "Ada@example.com" },
  { email: "ada@example.org" },
  { user_id: "+4930901820" },
  { phone_number: "+4930901820" },
  { phone_number: "+4930901821" },
  { webhook: { url: "https://example.com/A" } },
  { webhook: { url: "https://example.com/a" } }
]

describe("Recipients: one mailbox, one order", () => {
  it("P10: everybody has a mailbox, and in each environment another one", () => {
    const keys = [Scope.make(1), Scope.make(2), Scope.make(11)].flatMap((scope) =>
      others.map((one) => keyOf(one, scope))
    )
    assert.notInclude(keys, undefined)
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("an address is one mailbox however its domain or its number is written, and is shown as it was", () => {
    const alike: ReadonlyArray<ReadonlyArray<Recipient>> = [
      [{ email: "Ada@example.com" }, { email: "Ada@EXAMPLE.com" }],
      [{ email: "\"a@b\"@example.com" }, { email: "\"a@b\"@Example.COM" }],
      [{ phone_number: "+4930901820" }, { phone_number: "+49 (30) 90-1820" }],
      [{ phone_number: "030" }, { phone_number: " 030 " }]
    ]
    for (const same of alike) {
      assert.strictEqual(new Set(same.map((one) => keyOf(one))).size, 1)
      for (const one of same) assert.strictEqual(Recipients.nameOf(one), one.email ?? one.phone_number)
    }
  })

  it("who is named in several ways is known by the strongest: a user's id, an e-mail address, a number, a webhook", () => {
    const ways: ReadonlyArray<Recipient> = [
      { user_id: "ada" },
      { email: "ada@example.com" },
      { phone_number: "+4930901820" },
      { webhook: { url: "https://example.com" } },
      { slack: { channel: "C" } },
      { expo: { token: "a" } }
    ]
    for (const [index, strongest] of ways.entries()) {
      assert.strictEqual(keyOf(Object.assign({}, ...ways.slice(index))), keyOf(strongest))
    }
    assert.isUndefined(keyOf({ list_id: "l", tenant_id: "t", locale: "de" }))
  })
})
