import { reader } from "#layers/providers/receipts/Postmark.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { callback, type Genuine, headers, read, refuses } from "#test/layers/providers/receipts/Forgeries.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const secret = "correct horse: battery staple"
const messageId = MessageId.make("1-5f5fc76c-0123456789abcdef01234567")
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`

const posted = (report: unknown): Genuine => ({
  reader,
  settings: { webhook_secret: secret },
  now: 1_600_112_502_000,
  callback: callback({ headers: { authorization: basic(`tidings:${secret}`) }, body: JSON.stringify(report) })
})

/** The vendor's examples (postmarkapp.com/developer/webhooks), with our metadata. */
const common = {
  MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
  MessageStream: "outbound",
  ServerID: 23,
  Tag: "welcome-email",
  Metadata: { tidings_message_id: messageId }
}
const delivery = {
  ...common,
  RecordType: "Delivery",
  Recipient: "john@example.com",
  DeliveredAt: "2014-08-01T13:28:10.2735393-04:00",
  Details: "Test delivery webhook details"
}
const bounce = {
  ...common,
  RecordType: "Bounce",
  ID: 42,
  Type: "HardBounce",
  TypeCode: 1,
  Name: "Hard bounce",
  Description: "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
  Details: "Test bounce details",
  Email: "john@example.com",
  BouncedAt: "2014-08-01T13:28:10.2735393-04:00",
  DumpAvailable: true,
  Inactive: true,
  CanActivate: true,
  Subject: "Test subject"
}
const open = {
  ...common,
  RecordType: "Open",
  FirstOpen: true,
  ReceivedAt: "2014-08-01T13:28:10.2735393-04:00",
  Recipient: "john@example.com"
}

const genuine = posted(delivery)

describe("Postmark's webhooks", () => {
  it.effect("reads the recorded ones", () =>
    Effect.gen(function*() {
      const at = Date.parse("2014-08-01T17:28:10.273Z")
      const reference = common.MessageID
      const found = { messageId, attempt: undefined, reference, at, detail: undefined }
      assert.deepStrictEqual(yield* read(genuine), [
        { ...found, id: `Delivery:${reference}:2014-08-01T13:28:10.2735393-04:00`, event: "Deliver" }
      ])
      assert.deepStrictEqual(yield* read(posted(bounce)), [
        { ...found, id: `Bounce:${reference}:42`, event: "Bounce", detail: "Test bounce details" }
      ])
      assert.deepInclude((yield* read(posted(open)))?.[0], { event: "Open", at })
      assert.deepInclude((yield* read(posted({ ...open, RecordType: "Click" })))?.[0], { event: "Click", at })
    }))

  it.effect("refuses it with any one character of the secret's header changed, cut, longer or missing", () =>
    refuses(genuine, headers(genuine)))

  it.effect("refuses it under another user name or secret, and without a secret of its own", () =>
    Effect.gen(function*() {
      for (const pair of ["", ":", "tidings:", `tidings:${secret} `, `:${secret}`, `other:${secret}`, "tidings:é"]) {
        const callback = { ...genuine.callback, headers: { authorization: basic(pair) } }
        assert.isUndefined(yield* read({ ...genuine, callback }))
      }
      for (const settings of [{}, { webhook_secret: "" }, { webhook_secret: 7 }]) {
        assert.isUndefined(yield* read({ ...genuine, settings }))
      }
    }))

  it.effect("tells what moves a message from what does not", () =>
    Effect.gen(function*() {
      const none = [
        { ...bounce, Type: "Transient" },
        { ...bounce, Type: "AutoResponder" },
        { ...bounce, Type: "DnsError" },
        { ...bounce, RecordType: "SpamComplaint", Type: "SpamComplaint" },
        { ...common, RecordType: "SubscriptionChange" },
        { ...common, RecordType: "constructor" },
        { RecordType: "Delivery" },
        null,
        "",
        []
      ]
      for (const report of none) assert.deepStrictEqual(yield* read(posted(report)), [])
      const final = [
        "SoftBounce",
        "BadEmailAddress",
        "Blocked",
        "DMARCPolicy",
        "ManuallyDeactivated",
        "SMTPApiError",
        "SpamNotification",
        "TemplateRenderingFailed",
        "VirusNotification"
      ]
      for (const Type of final) {
        assert.strictEqual((yield* read(posted({ ...bounce, Type })))?.[0]?.event, "Bounce")
      }
    }))

  it.effect("a field that is null is as good as absent: the event counts all the same", () =>
    Effect.gen(function*() {
      const nothing = Object.fromEntries(
        ["ID", "Email", "BouncedAt", "Description", "Details", "Recipient", "Tag"].map((name) => [name, null])
      )
      assert.deepStrictEqual(
        (yield* read(posted({ ...bounce, ...nothing })))?.map(({ at, detail, event, messageId }) => [
          event,
          messageId,
          at,
          detail
        ]),
        [["Bounce", messageId, undefined, undefined]]
      )
    }))
})
