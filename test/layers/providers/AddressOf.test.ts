import type { JsonMap } from "#schemas/Optional.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { type Row, play } from "#test/contracts/VendorRow.ts"
import { all } from "#test/layers/providers/rows/All.ts"
import * as Smtp from "#test/layers/providers/smtp/Deliveries.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const of = (row: Row) => Effect.map(play(row, () => ({ status: 500 })), ({ vendor }) => vendor)

/** Where `override.body` names whom a vendor's request is for, by its key. */
const addressees: Readonly<Record<string, JsonMap>> = {
  "aws-ses": { Destination: { ToAddresses: ["bob@example.com"] } },
  "postmark": { To: "bob@example.com" },
  "resend": { to: ["bob@example.com"] },
  "sendgrid": { personalizations: [{ to: [{ email: "bob@example.com" }] }] },
  "twilio": { To: "+14155550199" },
  "vonage": { to: "14155550199" }
}

describe("Vendor.addressOf", () => {
  it.effect.each(all.filter(({ entry: { key } }) => Object.hasOwn(addressees, key)))(
    "$entry.key: the profile's address, unless the override names another addressee, in its own words too",
    (row) =>
      Effect.gen(function*() {
        const { addressOf, channel } = yield* of(row)
        const address = row.profile[channel === "email" ? "email" : "phone_number"]
        const found = (override: JsonMap) => addressOf?.(row.profile, override)
        for (const override of [{}, { subject: "s", bcc: "log@example.com" }, { body: { other: 1 } }]) {
          assert.strictEqual(found(override), address, JSON.stringify(override))
        }
        assert.isUndefined(found({ body: addressees[row.entry.key] ?? {} }))
        if (channel === "email") assert.isUndefined(found({ to: "bob@example.com" }))
        assert.isUndefined(addressOf?.({}, {}))
        const copies = { body: { Destination: { BccAddresses: ["log@example.com"] } } }
        assert.strictEqual(found(copies), address, "of SES, to whom copies go too")
      }).pipe(Effect.scoped)
  )

  it.effect("the same over SMTP", () =>
    Effect.gen(function*() {
      const { addressOf }: Vendor = yield* Smtp.vendor(25)
      const profile = { email: "ada@example.com" }
      assert.strictEqual(addressOf?.(profile, { bcc: "log@example.com" }), profile.email)
      assert.isUndefined(addressOf?.(profile, { to: ["bob@example.com"] }))
      assert.isUndefined(addressOf?.({ phone_number: "+14155550199" }, {}))
    }).pipe(Effect.scoped))

  it.effect("no push service, and no place in a chat, is remembered as dead", () =>
    Effect.gen(function*() {
      const others = all.filter(({ entry: { channel } }) => channel !== "email" && channel !== "sms")
      for (const row of others) assert.isUndefined((yield* of(row)).addressOf, row.entry.key)
    }).pipe(Effect.scoped))
})
