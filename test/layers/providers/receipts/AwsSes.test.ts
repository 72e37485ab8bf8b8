import * as AwsSes from "#layers/providers/receipts/AwsSes.ts"
import { Outbound, OutboundNotSent, type OutboundRequest, type OutboundResponse } from "#src/delivery/Outbound.ts"
import { type CallbackReader, Unverifiable } from "#src/reports/Callbacks.ts"
import { bodies, callback, flipped, type Genuine, read, refuses } from "#test/layers/providers/receipts/Forgeries.ts"
import { cert } from "#test/layers/providers/receipts/SnsCertificate.ts"
import {
  bounced,
  certificate,
  confirmation,
  delivered,
  envelope,
  type Fields,
  mail,
  messageId,
  notification,
  now,
  timestamp,
  topic
} from "#test/layers/providers/receipts/SnsMessages.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const answer = (body: string, status = 200): OutboundResponse => ({ status, headers: {}, body, truncated: false })

/** A reader, and every URL that it asked for. */
const make = Effect.fnUntraced(
  function*(respond: (request: OutboundRequest) => OutboundResponse | undefined = () => answer(cert)) {
    const asked: Array<string> = []
    const reader = yield* AwsSes.make.pipe(Effect.provideService(Outbound, {
      request: (request) => {
        asked.push(request.url)
        const response = respond(request)
        return response === undefined
          ? Effect.fail(new OutboundNotSent({ stage: "connect", detail: "sns.us-east-1.amazonaws.com: refused" }))
          : Effect.succeed(response)
      }
    }))
    return { reader, asked }
  }
)

const posted = (reader: CallbackReader, body: unknown): Genuine => ({
  reader,
  settings: { webhook_topic_arn: topic },
  now,
  callback: callback({ body: JSON.stringify(body) })
})

const refused = (reader: CallbackReader, fields: Fields) =>
  Effect.map(read(posted(reader, fields)), (found) => assert.isUndefined(found, JSON.stringify(fields)))

describe("SES's events through SNS", () => {
  it.effect("reads the recorded ones, under both versions of the signature, with and without a subject, and asks for the certificate once a day", () =>
    Effect.gen(function*() {
      const { asked, reader } = yield* make()
      const found = { id: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", messageId, attempt: 1, reference: mail.messageId }
      assert.deepStrictEqual(yield* read(posted(reader, envelope(notification(bounced)))), [{
        ...found,
        event: "Bounce",
        at: Date.parse("2017-08-05T00:41:02.669Z"),
        detail: "Permanent General smtp; 550 5.1.1 user unknown"
      }])
      assert.deepStrictEqual(yield* read(posted(reader, envelope(notification(delivered), "sha1"))), [{
        ...found,
        event: "Deliver",
        at: Date.parse("2016-10-19T23:21:04.133Z"),
        detail: undefined
      }])
      const later = new Date(now + 86_000_000).toISOString()
      const { Subject: _, ...bare } = notification(delivered, { Timestamp: later })
      for (const fields of [envelope(bare), { ...envelope(bare), Subject: null }]) {
        assert.lengthOf((yield* read({ ...posted(reader, fields), now: Date.parse(later) })) ?? [], 1)
      }
      assert.deepStrictEqual(asked, [certificate])
    }))

  it.effect("refuses it with any one byte changed; what is outside the signature changes nothing", () =>
    Effect.gen(function*() {
      const { asked, reader } = yield* make()
      const genuine = posted(reader, envelope(notification(delivered)))
      // The UnsubscribeURL is not signed, and not used; another of SNS's own certificate files is as good as the first.
      yield* refuses(genuine, bodies(genuine), 180)
      assert.isTrue(asked.every((url) => new URL(url).hostname.endsWith(".amazonaws.com")))
    }))

  it.effect("refuses it with any one character of a signed field or of the signature changed, or without it", () =>
    Effect.gen(function*() {
      const { reader } = yield* make()
      const genuine = envelope(notification(delivered, { Message: JSON.stringify({ eventType: "Delivery", mail }) }))
      for (
        const name of [
          "Message",
          "MessageId",
          "Subject",
          "Timestamp",
          "TopicArn",
          "Type",
          "Signature",
          "SignatureVersion"
        ]
      ) {
        const value = genuine[name] ?? ""
        for (const changed of [...flipped(value), "", value.slice(1), `${value}=`, `${value}\n`]) {
          yield* refused(reader, { ...genuine, [name]: changed })
        }
        const { [name]: _, ...rest } = genuine
        yield* refused(reader, rest)
      }
      const { Subject: subject = "", ...rest } = genuine
      yield* refused(reader, { ...rest, MessageId: `${rest["MessageId"]}\nSubject\n${subject}` })
    }))

  it.effect("asks nobody but SNS for a certificate", () =>
    Effect.gen(function*() {
      const { asked, reader } = yield* make()
      const file = "SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem"
      const urls = [
        `http://sns.us-east-1.amazonaws.com/${file}`,
        `https://sns.us-east-1.amazonaws.com.evil.example/${file}`,
        `https://evil.example/sns.us-east-1.amazonaws.com/${file}`,
        `https://sns.us-east-1.amazonaws.com@evil.example/${file}`,
        `https://user@sns.us-east-1.amazonaws.com/${file}`,
        `https://sns.us-east-1.amazonaws.com:8443/${file}`,
        `https://evil-sns.us-east-1.amazonaws.com/${file}`,
        `https://sns.evil.bucket.amazonaws.com/${file}`,
        `https://s3.amazonaws.com/sns/${file}`,
        `https://sns.us-east-1.amazonaws.com/other.pem`,
        `https://sns.us-east-1.amazonaws.com/a/../x/${file}`,
        `https://sns.us-east-1.amazonaws.com/?Action=x&${file}`,
        `https://sns.us-east-1.amazonaws.com/${file}?x`,
        "https://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "",
        "sns.us-east-1.amazonaws.com"
      ]
      for (const SigningCertURL of urls)
        yield* refused(reader, { ...envelope(notification(delivered)), SigningCertURL })
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("refuses a genuine post of another topic: AWS signs anyone's", () =>
    Effect.gen(function*() {
      const { asked, reader } = yield* make()
      for (const TopicArn of ["arn:aws:sns:us-east-1:999999999999:ses-events", `${topic}-2`, topic.slice(0, -1)]) {
        yield* refused(reader, envelope(notification(delivered, { TopicArn })))
      }
      const mine = posted(reader, envelope(notification(delivered)))
      for (const settings of [{}, { webhook_topic_arn: "" }, { webhook_topic_arn: 7 }]) {
        assert.isUndefined(yield* read({ ...mine, settings }))
      }
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("takes what SNS tries again for an hour; refuses what is older, is from the future, or was signed under an expired certificate", () =>
    Effect.gen(function*() {
      const { reader } = yield* make()
      const mine = posted(reader, envelope(notification(delivered)))
      assert.isDefined(yield* read({ ...mine, now: now + 3_900_000 }))
      assert.isUndefined(yield* read({ ...mine, now: now + 3_900_001 }))
      assert.isUndefined(yield* read({ ...mine, now: now - 300_001 }))
      for (const Timestamp of ["2126-12-31T00:00:00.000Z", "2026-11-01T00:00:00.000Z"]) {
        const late = posted(reader, envelope(notification(delivered, { Timestamp })))
        assert.isUndefined(yield* read({ ...late, now: Date.parse(Timestamp) }))
      }
    }))

  it.effect("asks the sender to come again while the certificate cannot be had", () =>
    Effect.gen(function*() {
      let up = false
      const { reader } = yield* make(() => up ? answer(cert) : undefined)
      const mine = posted(reader, envelope(notification(delivered)))
      yield* TestClock.setTime(now)
      assert.instanceOf(yield* Effect.flip(reader.read(mine.callback, mine.settings)), Unverifiable)
      up = true
      assert.lengthOf((yield* read({ ...mine, now: now + 6_000 })) ?? [], 1)
      for (const bad of [answer("", 404), answer("not a certificate")]) {
        const { reader } = yield* make(() => bad)
        assert.instanceOf(yield* Effect.flip(reader.read(mine.callback, mine.settings)), Unverifiable)
      }
    }))

  it.effect("confirms the subscription of its own topic, at SNS and nowhere else", () =>
    Effect.gen(function*() {
      const { asked, reader } = yield* make()
      assert.deepStrictEqual(yield* read(posted(reader, envelope(confirmation()))), [])
      const [, url = ""] = asked
      assert.strictEqual(new URL(url).origin, "https://sns.us-east-1.amazonaws.com")
      assert.deepStrictEqual(Object.fromEntries(new URL(url).searchParams), {
        Action: "ConfirmSubscription",
        TopicArn: topic,
        Token: "2336412f37f"
      })
      for (const SubscribeURL of ["https://evil.example/", "http://sns.us-east-1.amazonaws.com/", ""]) {
        yield* refused(reader, envelope(confirmation({ SubscribeURL })))
      }
      yield* refused(reader, { ...envelope(confirmation()), Token: "other" })
      assert.lengthOf(asked, 2)
      assert.deepStrictEqual(
        yield* read(posted(reader, envelope(confirmation({ Type: "UnsubscribeConfirmation" })))),
        []
      )
      assert.lengthOf(asked, 2)
    }))

  it.effect("a confirmation that SNS does not take is not accepted, so that SNS repeats its post", () =>
    Effect.gen(function*() {
      const { reader } = yield* make(({ url }) => url.includes("Action=") ? answer("busy", 500) : answer(cert))
      const { callback, settings } = posted(reader, envelope(confirmation()))
      yield* TestClock.setTime(now)
      assert.instanceOf(yield* Effect.flip(reader.read(callback, settings)), Unverifiable)
    }))

  it.effect("a field that is null is as good as absent: the event counts all the same", () =>
    Effect.gen(function*() {
      const { reader } = yield* make()
      const [recipient] = bounced.bounce.bouncedRecipients
      const bounce = {
        ...bounced.bounce,
        bounceSubType: null,
        timestamp: null,
        bouncedRecipients: [{ ...recipient, status: null, diagnosticCode: null }]
      }
      const record = { ...bounced, bounce, delivery: null, complaint: null }
      assert.deepStrictEqual(
        (yield* read(posted(reader, envelope(notification(record)))))?.map(({ detail, event }) => [event, detail]),
        [["Bounce", "Permanent"]]
      )
    }))

  it.effect("tells what moves a message from what does not", () =>
    Effect.gen(function*() {
      const { reader } = yield* make()
      const kind = (record: unknown) =>
        Effect.map(read(posted(reader, envelope(notification(record)))), (found) => found?.map(({ event }) => event))
      const bounce = (bounceType: string, bounceSubType: string) => ({
        ...bounced,
        bounce: { ...bounced.bounce, bounceType, bounceSubType }
      })
      assert.deepStrictEqual(yield* kind({ eventType: "Open", mail, open: { timestamp, ipAddress: "192.0.2.1" } }), [
        "Open"
      ])
      assert.deepStrictEqual(
        yield* kind({ eventType: "Click", mail, click: { timestamp, link: "http://docs.aws.amazon.com" } }),
        ["Click"]
      )
      assert.deepStrictEqual(yield* kind({ eventType: "Reject", mail, reject: { reason: "Bad content" } }), ["Bounce"])
      assert.deepStrictEqual(
        yield* kind({ eventType: "Rendering Failure", mail, failure: { errorMessage: "x", templateName: "t" } }),
        ["Bounce"]
      )
      assert.deepStrictEqual(yield* kind(bounce("Transient", "MailboxFull")), ["Bounce"])
      assert.deepStrictEqual(yield* kind(bounce("Undetermined", "Undetermined")), ["Bounce"])
      assert.deepStrictEqual(yield* kind({ notificationType: "Delivery", mail: { messageId: "m" }, delivery: {} }), [
        "Deliver"
      ])
      const suppressed = (complaintSubType: string | null) => ({
        eventType: "Complaint",
        mail,
        complaint: { timestamp, complaintSubType, complainedRecipients: [{ emailAddress: "recipient@example.com" }] }
      })
      // SES took it and did not send it.
      assert.deepStrictEqual(yield* kind(suppressed("OnAccountSuppressionList")), ["Bounce"])
      const none = [
        suppressed(null),
        bounce("Transient", "General"),
        { eventType: "Bounce", mail, bounce: { bounceType: "Transient", timestamp } },
        { eventType: "Send", mail, send: {} },
        { eventType: "DeliveryDelay", mail, deliveryDelay: { delayType: "TransientCommunicationFailure" } },
        { eventType: "Complaint", mail, complaint: { complaintFeedbackType: "abuse" } },
        { eventType: "constructor", mail },
        { eventType: "Delivery" },
        null,
        "Successfully validated SNS topic for Amazon SES event publishing."
      ]
      for (const record of none) assert.deepStrictEqual(yield* kind(record), [])
    }))
})
