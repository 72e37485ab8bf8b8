import { outcomeOf, rendered, send } from "#test/contracts/VendorRow.ts"
import { awsSes } from "#test/layers/providers/rows/AwsSes.ts"
import { postmark } from "#test/layers/providers/rows/Postmark.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import { assertQuick } from "#test/support/Quick.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

/** Where each vendor's request has the addresses that it goes to. */
const vendors = [
  { row: sendGrid, to: Schema.Struct({ personalizations: Schema.Array(Schema.Struct({ to: Schema.Json })) }) },
  { row: postmark, to: Schema.Struct({ To: Schema.Json }) },
  { row: resend, to: Schema.Struct({ to: Schema.Json }) },
  { row: awsSes, to: Schema.Struct({ Destination: Schema.Struct({ ToAddresses: Schema.Json }) }) }
]

const emailOf = ({ profile }: typeof sendGrid) => String(profile["email"])

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

  it.live("a mail comes from the message's sender, else the configuration's `from_address`, else its older `from`, at every vendor", () =>
    Effect.forEach(
      vendors,
      Effect.fnUntraced(function*({ row }) {
        const { from: _, ...settings } = row.settings
        const senders = { from_address: "new@example.org", from: "old@example.org" }
        const body = Effect.fnUntraced(function*(own: Schema.JsonObject, override: Schema.JsonObject) {
          const { seen } = yield* send({ ...row, settings: { ...settings, ...own } }, row.success, {
            more: { override }
          })
          return seen.map(({ body }) => body).join()
        })
        assert.include(yield* body(senders, { from: "own@example.org" }), "own@example.org")
        assert.include(yield* body(senders, {}), "new@example.org")
        assert.include(yield* body({ from: "old@example.org" }, {}), "old@example.org")
        assert.strictEqual(yield* body({}, {}), "")
      })
    ))

  it.live("a sender that is no address is the message's fault where it names it, else the operator's, at every vendor", () =>
    Effect.forEach(vendors, ({ row }) =>
      Effect.gen(function*() {
        const outcome = (from: string, override: Schema.JsonObject) =>
          Effect.map(
            send({ ...row, settings: { ...row.settings, from } }, row.success, { more: { override } }),
            ({ result, seen }) => [outcomeOf(result), seen.length]
          )
        assert.deepStrictEqual(yield* outcome("shop@example.org", { from: "Shop" }), ["ContentRejected", 0])
        assert.deepStrictEqual(yield* outcome("Shop", {}), ["Misconfigured", 0])
      })))

  it.live("a mail that says nothing has an empty text all the same, at every vendor: they take none without a part", () =>
    Effect.forEach(
      [
        { row: sendGrid, part: `"content":[{"type":"text/plain","value":" "}]` },
        { row: postmark, part: `"TextBody":" "` },
        { row: resend, part: `"text":" "` },
        { row: awsSes, part: `"Text":{"Data":" ","Charset":"UTF-8"}` }
      ],
      Effect.fnUntraced(function*({ part, row }) {
        const override = { attachments: [{ filename: "a.txt", content: "YQ==", content_type: "text/plain" }] }
        const { seen } = yield* send(row, row.success, {
          more: { override, rendered: { ...rendered, text: "", html: "" } }
        })
        assert.include(seen.at(-1)?.body ?? "", part)
      })
    ))

  it.live("a mail without a subject has a blank one at vendors that take no empty one, but with a template of theirs", () =>
    Effect.forEach(
      [
        [sendGrid, {}, " "],
        [sendGrid, { template_id: "d-1" }, undefined],
        [resend, {}, " "],
        [resend, { template: { id: "tpl" } }, undefined]
      ] as const,
      ([row, body, subject]) =>
        Effect.gen(function*() {
          const more = { override: { body }, rendered: { ...rendered, subject: "" } }
          const { seen } = yield* send(row, row.success, { more })
          assert.strictEqual(JSON.parse(seen.at(-1)?.body ?? "").subject, subject)
        })
    ))

  it.live("Resend is told no type but the one that a file's name has: with another it would send the mail never", () =>
    Effect.gen(function*() {
      const files = [
        { filename: "a.csv", content_type: "text/csv; charset=utf-8" },
        { filename: "a.txt", content_type: "text/csv" },
        { filename: "a.own", content_type: "text/x-own" },
        { filename: "a.PDF" },
        { filename: "", content_type: "image/png", content_id: "logo" },
        { content_type: "application/octet-stream" }
      ].map((file) => ({ ...file, content: "YQ==" }))
      const { seen } = yield* send(resend, resend.success, { more: { override: { attachments: files } } })
      const { attachments } = JSON.parse(seen.at(-1)?.body ?? "")
      assert.deepStrictEqual(
        attachments.map(({ content_type, filename }: (typeof files)[number]) => [filename, content_type]),
        [
          ["a.csv", "text/csv; charset=utf-8"],
          ["a.txt", undefined],
          ["a.own", "text/x-own"],
          ["a.PDF", "application/pdf"],
          ["attachment.png", "image/png"],
          ["attachment", "application/octet-stream"]
        ]
      )
    }))

  it.live("a vendor's own template takes the place of the content, which Resend and SES refuse beside it", () =>
    Effect.gen(function*() {
      const bodyOf = Effect.fnUntraced(function*(row: typeof resend, body: Schema.JsonObject, subject: string) {
        const override = { body, attachments: [{ filename: "a.txt", content: "YQ==" }] }
        const { seen } = yield* send(row, row.success, { more: { override, rendered: { ...rendered, subject } } })
        const sent: unknown = JSON.parse(seen.at(-1)?.body ?? "")
        return Object(sent)
      })
      const template = { id: "tpl", variables: { a: 1 } }
      const own = yield* bodyOf(resend, { template }, "")
      assert.deepStrictEqual(own.template, template)
      assert.doesNotHaveAnyKeys(own, ["subject", "text", "html"])
      assert.lengthOf(own.attachments, 1)
      assert.strictEqual((yield* bodyOf(resend, { template }, "Mine")).subject, "Mine")
      const Template = { TemplateName: "tpl", TemplateData: "{}" }
      const { Content } = yield* bodyOf(awsSes, { Content: { Template } }, "Mine")
      assert.deepInclude(Content.Template, Template)
      assert.lengthOf(Content.Template.Attachments, 1)
      assert.doesNotHaveAnyKeys(Content.Template, ["Subject", "Body"])
      assert.doesNotHaveAnyKeys(Content, ["Simple"])
    }))

  it.live("a `to` that names nobody is refused, and nothing is sent", () =>
    Effect.forEach(
      [[], "nobody", "bob@example.org\r\nBcc: evil@example.com"],
      Effect.fnUntraced(function*(to) {
        const { result, seen } = yield* send(sendGrid, sendGrid.success, { more: { override: { to } } })
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
      const { seen } = yield* send(sendGrid, sendGrid.success, { more: { override } })
      const personalizations: unknown = JSON.parse(seen[0]?.body ?? "").personalizations
      assert.deepStrictEqual(personalizations, [{
        to: [{ email: "ann@example.com" }],
        cc: [{ email: "boss@example.org" }]
      }])
    }))

  it.live("at SendGrid, which drops mail for the commas in a recipient's name, none has any", () =>
    Effect.gen(function*() {
      const override = {
        from: { email: "shop@example.org", name: "Shop, Inc." },
        to: { email: "ann@example.com", name: "Doe, Ann; PhD" },
        cc: { email: "bob@example.org", name: " , ;" },
        // Nobody else is served while it is looked through.
        bcc: { email: "log@example.org", name: `L${" ".repeat(200_000)}g` }
      }
      const { seen } = yield* assertQuick(
        2_000,
        send(sendGrid, sendGrid.success, { more: { override } })
      )
      const body = JSON.parse(seen[0]?.body ?? "")
      const [{ bcc, ...others }] = body.personalizations
      assert.lengthOf(bcc, 1)
      assert.deepStrictEqual([others, body.from], [
        { to: [{ email: "ann@example.com", name: "Doe Ann PhD" }], cc: [{ email: "bob@example.org" }] },
        { email: "shop@example.org", name: "Shop, Inc." }
      ])
    }))

  it.live("at SES, which writes names into the header as they are, one beyond ASCII is in encoded words", () =>
    Effect.gen(function*() {
      const override = {
        from: { email: "shop@example.org", name: "Müller & Söhne 😀" },
        cc: [{ email: "bob@example.org", name: "日本語の長い名前".repeat(8) }, {
          email: "log@example.org",
          name: "Log, A"
        }]
      }
      const { seen } = yield* send(awsSes, awsSes.success, { more: { override } })
      const { Destination, FromEmailAddress } = JSON.parse(seen[0]?.body ?? "")
      const [bob, log] = Destination.CcAddresses
      const decoded = (text: string) =>
        text.replaceAll(/=\?UTF-8\?B\?([^?]+)\?= ?/g, (word, base64) => {
          assert.isAtMost(word.trim().length, 75)
          return `${Buffer.from(base64, "base64")}|`
        })
      assert.strictEqual(decoded(FromEmailAddress).replaceAll("|", ""), "Müller & Söhne 😀<shop@example.org>")
      assert.strictEqual(decoded(bob).replaceAll("|", ""), `${"日本語の長い名前".repeat(8)}<bob@example.org>`)
      assert.match(`${FromEmailAddress}${bob}`, /^[\x20-\x7e]*$/)
      assert.strictEqual(log, "\"Log, A\" <log@example.org>")
    }))

  it.live("at Postmark, which leaves out the inactive addresses of a mail, copies alone are no message", () =>
    Effect.gen(function*() {
      const outcome = (To: string, inactive: string) =>
        Effect.map(
          send(postmark, {
            status: 200,
            body: JSON.stringify({
              To,
              Bcc: "log@example.org",
              MessageID: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
              ErrorCode: 0,
              Message:
                `Message OK, but will not deliver to these inactive addresses: ${inactive}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`
            })
          }),
          ({ result }) => outcomeOf(result)
        )
      assert.strictEqual(yield* outcome("Ann@example.com", "ann@example.com"), "RecipientRejected")
      assert.strictEqual(
        yield* outcome("\"D, A\" <a@b.co.uk>, b@example.com", "b@example.com, a@b.co.uk, log@example.org"),
        "RecipientRejected"
      )
      assert.strictEqual(yield* outcome("ann@example.com", "log@example.org"), "Accepted")
      assert.strictEqual(yield* outcome("ann@example.com,b@example.com", "b@example.com"), "Accepted")
      const long = "a".repeat(100_000)
      yield* assertQuick(1_000, outcome(long, "b@example.com"))
    }))

  it.live("`null` says nothing", () =>
    Effect.gen(function*() {
      const fields = ["from", "to", "reply_to", "cc", "bcc", "subject", "text", "html", "headers", "attachments"]
      const override = Object.fromEntries(fields.map((field) => [field, null]))
      const nothing = yield* send(sendGrid, sendGrid.success, { more: { override: {} } })
      const nulls = yield* send(sendGrid, sendGrid.success, { more: { override } })
      assert.isTrue(Result.isSuccess(nulls.result))
      assert.strictEqual(nulls.seen[0]?.body, nothing.seen[0]?.body)
    }))

  it.live("a person is read in a time that grows with the text and no faster", () =>
    Effect.forEach(
      [" ".repeat(3_000), `${" ".repeat(3_000)}x`, `x${" ".repeat(3_000)}<`],
      Effect.fnUntraced(function*(cc) {
        const { result } = yield* assertQuick(
          1_000,
          send(sendGrid, sendGrid.success, { more: { override: { cc: [cc] } } })
        )
        assert.strictEqual(Result.isFailure(result) && result.failure._tag, "ContentRejected")
      })
    ), 60_000)

  it.live("a person is a name before an address in angle brackets, whatever the spaces around the two", () =>
    Effect.gen(function*() {
      const override = { cc: ["  Bob B.  <bob@example.org> ", "\"Eve\"<eve@example.org>", " ann@example.org "] }
      const { seen } = yield* send(sendGrid, sendGrid.success, { more: { override } })
      assert.include(
        seen[0]?.body ?? "",
        JSON.stringify([
          { email: "bob@example.org", name: "Bob B." },
          { email: "eve@example.org", name: "Eve" },
          { email: "ann@example.org" }
        ])
      )
    }))
})
