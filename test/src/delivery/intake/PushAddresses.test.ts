import { Scope } from "#schemas/Scope.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import * as PushAddresses from "#src/delivery/intake/PushAddresses.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const identity = (recipient: Recipient) => Recipients.identify(Scope.make(1), recipient)

/** Two devices as strings, and as objects in the list. */
const spellings: ReadonlyArray<readonly [Recipient, Recipient]> = [
  [{ firebaseToken: ["a", "b"] }, { firebaseToken: [{ token: "a" }, "b"] }],
  [{ apn: { tokens: ["a", "b"] } }, { apn: { tokens: [{ token: "a" }, { token: "b" }] } }],
  [{ expo: { tokens: ["a", "b"] } }, { expo: { tokens: [{ token: "a" }, { token: "b" }] } }]
]

const forms: ReadonlyArray<(tokens: ReadonlyArray<string>) => Recipient> = [
  (firebaseToken) => ({ firebaseToken: [...firebaseToken] }),
  (tokens) => ({ apn: { tokens: [...tokens] } }),
  (tokens) => ({ expo: { tokens: [...tokens] } })
]

describe("PushAddresses", () => {
  it("the same devices in any order are one mailbox, others another one", () => {
    for (const form of forms) {
      assert.strictEqual(identity(form(["a", "b"]))?.key, identity(form(["b", "a", "b"]))?.key)
      assert.notStrictEqual(identity(form(["a"]))?.key, identity(form(["a", "b"]))?.key)
    }
    assert.deepStrictEqual(identity({ firebaseToken: "ab" }), identity({ firebaseToken: ["ab"] }))
    assert.deepStrictEqual(identity({ apn: { token: "ab" } }), identity({ apn: { tokens: "ab" } }))
    assert.deepStrictEqual(identity({ apn: { token: null, tokens: ["ab"] } }), identity({ apn: { token: "ab" } }))
    assert.strictEqual(new Set(forms.map((form) => identity(form(["a"]))?.key)).size, forms.length)
  })

  it("a listed token may stand in an object, as the published client has it", () => {
    for (const [strings, objects] of spellings) {
      assert.isDefined(identity(strings))
      assert.deepStrictEqual(identity(objects), identity(strings))
    }
  })

  it("devices are nobody's while none is named", () => {
    const parts: ReadonlyArray<Recipient> = [
      { firebaseToken: "" },
      { firebaseToken: [] },
      { firebaseToken: { token: "a" } },
      { apn: "a" },
      { apn: {} },
      { expo: { tokens: [] } },
      { expo: { tokens: [{}] } },
      { expo: { tokens: [{ token: "" }] } },
      { expo: { token: "a\u0000" } },
      { expo: { token: "a".repeat(1_001) } }
    ]
    for (const recipient of parts) assert.isUndefined(identity(recipient), JSON.stringify(recipient))
  })

  it("what is missing is told of the platform that was named", () => {
    for (const [kind, address] of [["firebaseToken", []], ["apn", {}], ["expo", {}]] as const) {
      assert.match(PushAddresses.fault({ firebaseToken: null, [kind]: address }) ?? "", new RegExp(`^${kind}: `))
    }
    assert.isUndefined(PushAddresses.fault({}))
  })

  it.effect("a person or a list with a device is still a person or a list", () =>
    Effect.gen(function*() {
      const expo = { expo: { token: "a" } }
      assert.strictEqual(identity({ user_id: "ada", ...expo })?.name, "ada")
      assert.strictEqual(identity({ email: "ada@example.com", ...expo })?.name, "ada@example.com")
      assert.strictEqual((yield* Groups.of({ list_id: "l", ...expo }))?.source._tag, "List")
      assert.isUndefined(yield* Groups.of({ tenant_id: "t", ...expo }))
    }))
})
