import { SuppressionReason } from "#schemas/Suppression.ts"
import { type AddressReport, suppressing } from "#src/reports/AddressReports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Told = Schema.Struct({
  address: Schema.Literals(["ada@example.com", "ADA@example.com", "bob@example.com", "nobody", ""]),
  reason: SuppressionReason
})

const report = (told: typeof Told.Type, detail?: string): AddressReport => ({
  ...told,
  channel: "email",
  detail,
  at: undefined
})

describe("AddressReports", () => {
  it.effect.prop(
    "each address once, by the strongest of its reasons, and nothing of what is none",
    { all: Schema.Array(Told) },
    ({ all }) =>
      Effect.sync(() => {
        const found = suppressing("sendgrid", all.map((one) => report(one)))
        const addresses = found.map(({ address }) => address)
        assert.strictEqual(new Set(addresses).size, addresses.length)
        for (const name of ["ada@example.com", "bob@example.com"]) {
          const reasons = all.filter(({ address }) => address.toLowerCase() === name).map(({ reason }) => reason)
          const strongest = SuppressionReason.literals.findLast((reason) => reasons.includes(reason))
          assert.strictEqual(found.find(({ address }) => address === name)?.reason, strongest)
        }
        assert.isTrue(addresses.every((address) => address.includes("@")))
      })
  )

  it("P9: a vendor's words are kept without the address", () => {
    const [found] = suppressing("aws-ses", [
      report(
        { address: "ada@example.com", reason: "BOUNCED" },
        "550 5.1.1 <Ada@example.com>\u0000: +4915112345678 unknown"
      )
    ])
    assert.deepStrictEqual(found, {
      channel: "email",
      address: "ada@example.com",
      reason: "BOUNCED",
      provider: "aws-ses",
      detail: "550 5.1.1 <(address)>: (number) unknown",
      at: undefined
    })
  })
})
