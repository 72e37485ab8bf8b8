import { send } from "#test/contracts/VendorRow.ts"
import * as Mail from "#test/layers/providers/rows/Email.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

/** Where each vendor's request has the addresses that it goes to. */
const vendors = [
  { row: Mail.sendGrid, to: Schema.Struct({ personalizations: Schema.Array(Schema.Struct({ to: Schema.Json })) }) },
  { row: Mail.postmark, to: Schema.Struct({ To: Schema.Json }) },
  { row: Mail.resend, to: Schema.Struct({ to: Schema.Json }) },
  { row: Mail.awsSes, to: Schema.Struct({ Destination: Schema.Struct({ ToAddresses: Schema.Json }) }) }
]

const emailOf = ({ profile }: typeof Mail.sendGrid) => String(profile["email"])

describe("The overrides of an e-mail", () => {
  it.live("`to` takes the place of the recipient's own address, at every vendor", () =>
    Effect.forEach(
      vendors,
      Effect.fnUntraced(function*({ row, to }) {
        const override = { to: [{ email: "bob@example.org", name: "Bob" }, "eve@example.org"] }
        const { result, seen } = yield* send(row, row.success, { more: { override } })
        assert.isTrue(Result.isSuccess(result))
        const read = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(to))(seen.at(-1)?.body)
        const named = JSON.stringify(read)
        for (const part of ["bob@example.org", "Bob", "eve@example.org"]) assert.include(named, part)
        assert.notInclude(named, emailOf(row))
      })
    ))

  it.live("a `to` that names nobody is refused, and nothing is sent", () =>
    Effect.forEach(
      [[], "nobody", "bob@example.org\r\nBcc: evil@example.com"],
      Effect.fnUntraced(function*(to) {
        const { result, seen } = yield* send(Mail.sendGrid, Mail.sendGrid.success, { more: { override: { to } } })
        assert.strictEqual(Result.isFailure(result) && result.failure._tag, "ContentRejected")
        assert.deepStrictEqual(seen, [])
      })
    ))

  it.live("at SendGrid, which refuses an address that a mail has twice, nobody is named twice", () =>
    Effect.gen(function*() {
      const override = {
        cc: ["Ann@example.com", "boss@example.org", { email: "BOSS@example.org", name: "Boss" }],
        bcc: "boss@example.org"
      }
      const { seen } = yield* send(Mail.sendGrid, Mail.sendGrid.success, { more: { override } })
      const personalizations: unknown = JSON.parse(seen[0]?.body ?? "").personalizations
      assert.deepStrictEqual(personalizations, [{
        to: [{ email: "ann@example.com" }],
        cc: [{ email: "boss@example.org" }]
      }])
    }))

  it.live("`null` says nothing", () =>
    Effect.gen(function*() {
      const fields = ["from", "to", "reply_to", "cc", "bcc", "subject", "text", "html", "headers", "attachments"]
      const override = Object.fromEntries(fields.map((field) => [field, null]))
      const nothing = yield* send(Mail.sendGrid, Mail.sendGrid.success, { more: { override: {} } })
      const nulls = yield* send(Mail.sendGrid, Mail.sendGrid.success, { more: { override } })
      assert.isTrue(Result.isSuccess(nulls.result))
      assert.strictEqual(nulls.seen[0]?.body, nothing.seen[0]?.body)
    }))
})
