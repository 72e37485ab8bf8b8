import * as MessageFilters from "#src/reports/MessageFilters.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"

describe("MessageFilters", () => {
  // As configurations are: the oldest of a vendor goes by its key, the others by their alias.
  const configured = [
    { ...Fake.nothing("sendgrid", "email"), names: ["mail-a", "pc_1", "sendgrid"] },
    { ...Fake.nothing("mail-b", "email"), names: ["mail-b", "pc_2", "sendgrid"] },
    Fake.nothing("smtp", "email")
  ]
  const asked = (...provider: ReadonlyArray<string>) =>
    MessageFilters.query({ provider }, configured, undefined).providers

  it("finds a provider's messages by each of its names, as a routing does", () => {
    assert.deepStrictEqual(asked("mail-a"), ["mail-a", "sendgrid"])
    assert.deepStrictEqual(asked("pc_2", "smtp"), ["pc_2", "mail-b", "smtp"])
    assert.deepStrictEqual(asked("sendgrid"), ["sendgrid", "mail-b"])
  })

  it("still finds what went through one that is no more", () => assert.deepStrictEqual(asked("gone"), ["gone"]))
})
