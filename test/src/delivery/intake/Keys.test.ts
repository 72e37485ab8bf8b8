import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { assert, describe, it } from "@effect/vitest"

const scope = Scope.make(7)

const keys: ReadonlyArray<readonly [Recipient, key: string]> = [
  [{ user_id: "Ada" }, "7:user:Ada"],
  [{ email: "Ada@Example.COM" }, "7:email:Ada@example.com"],
  [{ phone_number: "+1 (415) 555-2671" }, "7:phone:+14155552671"],
  [{ phone_number: " 112 " }, "7:phone:112"],
  [{ webhook: { url: "https://Example.com/Hook" } }, "7:webhook:https://Example.com/Hook"],
  [{ slack: { channel: "C" } }, "7:slack:/C"],
  [{ slack: { access_token: "xoxb", channel: "C" } }, "7:slack:a991e8e42e0d04f6/C"],
  [{ discord: { user_id: "U" } }, "7:discord:user/U"],
  [
    { pagerduty: { routing_key: "R", event_action: "trigger", severity: "error", source: "db" } },
    "7:pagerduty:8c2574892063f995/db"
  ],
  [{ firebaseToken: ["b", "a"] }, "7:firebaseToken:0473ef2dc0d324ab659d3580c1134e9d"]
]

describe("The key of a recipient's mailbox", () => {
  it.each(keys)(
    "P3: of %j stays what it is: with another, messages after an update would overtake those before",
    (recipient, key) => {
      assert.strictEqual(Recipients.identify(scope, recipient)?.key, key)
    }
  )

  it("is the group's, for the message that tells that there is none", () => {
    const keyOf = (_tag: "Audience" | "List") => Groups.nobody(scope, { _tag, id: "a" }).identity.key
    assert.deepStrictEqual([keyOf("Audience"), keyOf("List")], ["7:audience:a", "7:list:a"])
    assert.isUndefined(Groups.named({ email: "ada@example.com" }))
  })
})
