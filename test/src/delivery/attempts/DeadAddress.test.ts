import { Misconfigured, RecipientRejected } from "#schemas/DeliveryError.ts"
import { Scope } from "#schemas/Scope.ts"
import * as DeadAddress from "#src/delivery/attempts/DeadAddress.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Exit } from "effect"

const vendor: Vendor = { ...Fake.nothing("relay", "email"), addressOf: () => "ada@example.com" }
const call = { scope: Scope.make(7), vendor, profile: {}, override: {}, server: undefined }
const gone = Exit.fail(new RecipientRejected({ detail: "5.1.1", invalidates: true }))

/** Each call, how it ended, and whether it is told of its address. */
const cases = [
  ["no such mailbox", call, gone, true],
  ["by a server of the message's own", { ...call, server: "tenant.example:25" }, gone, false],
  ["of a channel that cannot be suppressed", { ...call, vendor: { ...vendor, channel: "slack" } }, gone, false],
  ["of other addressees", { ...call, vendor: { ...vendor, addressOf: () => undefined } }, gone, false],
  ["a full mailbox", call, Exit.fail(new RecipientRejected({ detail: "5.2.2", invalidates: false })), false],
  ["a wrong login", call, Exit.fail(new Misconfigured({ detail: "535" })), false],
  ["taken", call, Exit.succeed({ reference: "1" }), false]
] as const

describe("DeadAddress", () => {
  it.each(cases)("%s", (_, called, exit, isTold) => {
    const dead = DeadAddress.of(called, exit)
    assert.deepStrictEqual(dead && `${dead.provider}: ${dead.address}`, isTold ? "relay: ada@example.com" : undefined)
  })
})
