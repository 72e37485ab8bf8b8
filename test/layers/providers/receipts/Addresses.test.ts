import { type Genuine, told } from "#test/layers/providers/receipts/Forgeries.ts"
import * as Posted from "#test/layers/providers/receipts/Posted.ts"
import { bounced } from "#test/layers/providers/receipts/SnsMessages.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const address = "Ann@example.com"

/** What a vendor's post suppresses, as `address: reason`. */
const suppressed = (posted: Genuine) =>
  Effect.map(told(posted), (found) => found?.addresses.map((one) => `${one.address}: ${one.reason}`))

const because = (reason: string | undefined) => reason === undefined ? [] : [`${address}: ${reason}`]

/** What Gmail says of a mailbox that is sent too much for now, with the code of one that is disabled. */
const busy = "550-5.2.1 The user you are trying to contact is receiving mail at a rate that 550-5.2.1 prevents"

/** Each event, and the reason for which it suppresses its address; `undefined`: it does not. */
type Cases = ReadonlyArray<readonly [event: object, reason: string | undefined]>

const events: Cases = [
  [{ event: "bounce", type: "bounce", status: "5.1.1" }, "BOUNCED"],
  [{ event: "bounce", status: "5.1.2" }, "BOUNCED"],
  [{ event: "bounce", type: "bounce", status: "5.0.0", bounce_classification: "Invalid Address" }, "BOUNCED"],
  [{ event: "bounce", type: "blocked", status: "5.1.1" }, undefined],
  [{ event: "bounce", type: "blocked", bounce_classification: "Unclassified" }, undefined],
  [{ event: "bounce", type: "bounce", status: "5.2.2", bounce_classification: "Mailbox Unavailable" }, undefined],
  [{ event: "bounce", type: "bounce", status: "5.7.1", bounce_classification: "Content" }, undefined],
  [{ event: "bounce", type: "bounce", status: "4.1.1" }, undefined],
  [{ event: "bounce", type: "bounce", status: "5.2.1", reason: "550 5.2.1 disabled" }, "BOUNCED"],
  [{ event: "bounce", type: "bounce", status: "5.2.1", reason: busy }, undefined],
  [{ event: "bounce", type: "bounce" }, undefined],
  [{ event: "dropped", reason: "Bounced Address" }, "BOUNCED"],
  [{ event: "dropped", reason: "Invalid" }, "BOUNCED"],
  [{ event: "dropped", reason: "Spam Reporting Address" }, "COMPLAINED"],
  [{ event: "dropped", reason: "Unsubscribed Address" }, "UNSUBSCRIBED"],
  [{ event: "dropped", reason: "Spam Content" }, undefined],
  [{ event: "dropped" }, undefined],
  [{ event: "spamreport" }, "COMPLAINED"],
  [{ event: "unsubscribe" }, "UNSUBSCRIBED"],
  [{ event: "group_unsubscribe" }, undefined],
  [{ event: "group_resubscribe" }, undefined],
  ...["processed", "deferred", "delivered", "open", "click"].map((event) => [{ event }, undefined] as const)
]

const change = { RecordType: "SubscriptionChange", Origin: "Recipient", MessageStream: "outbound" }

const reports: Cases = [
  ...["HardBounce", "BadEmailAddress"].map((Type) => [{ RecordType: "Bounce", Type }, "BOUNCED"] as const),
  ...["SoftBounce", "Blocked", "SpamNotification", "DMARCPolicy", "Transient", "AutoResponder", "Unsubscribe"].map(
    (Type) => [{ RecordType: "Bounce", Type }, undefined] as const
  ),
  [{ RecordType: "SpamComplaint" }, "COMPLAINED"],
  [{ ...change, SuppressSending: true, SuppressionReason: "HardBounce" }, "BOUNCED"],
  [{ ...change, SuppressSending: true, SuppressionReason: "SpamComplaint" }, "COMPLAINED"],
  [{ ...change, SuppressSending: true, SuppressionReason: "ManualSuppression" }, undefined],
  [{ ...change, SuppressSending: true, SuppressionReason: "HardBounce", Origin: "Customer" }, undefined],
  [{ ...change, SuppressSending: true, SuppressionReason: "HardBounce", Origin: "Admin" }, undefined],
  [{ ...change, SuppressSending: true, SuppressionReason: "HardBounce", MessageStream: "news" }, undefined],
  [{ ...change, SuppressSending: false, SuppressionReason: null, MessageID: null }, undefined],
  ...["Delivery", "Open", "Click"].map((RecordType) => [{ RecordType }, undefined] as const)
]

const bounce = (more: object, recipient: object = {}) => ({
  eventType: "Bounce",
  bounce: { ...bounced.bounce, bouncedRecipients: [{ emailAddress: address, status: "5.1.1", ...recipient }], ...more }
})

const complaint = (more: object) => ({
  eventType: "Complaint",
  complaint: { complainedRecipients: [{ emailAddress: address }], ...more }
})

const records: Cases = [
  ...["General", "NoEmail", "Suppressed", "OnAccountSuppressionList"].map(
    (bounceSubType) => [bounce({ bounceSubType }), "BOUNCED"] as const
  ),
  [bounce({}, { status: "5.0.0" }), "BOUNCED"],
  [bounce({}, { status: null }), "BOUNCED"],
  [bounce({}, { status: "5.2.2" }), undefined],
  [bounce({}, { status: "5.7.1" }), undefined],
  [bounce({}, { status: "5.1.8", diagnosticCode: "smtp; 550 5.1.8 Sender's domain not found" }), undefined],
  [bounce({}, { status: "5.2.1", diagnosticCode: "smtp; 550 5.2.1 disabled" }), "BOUNCED"],
  [bounce({}, { status: "5.2.1", diagnosticCode: `smtp; ${busy}` }), undefined],
  ...["General", "MailboxFull", "MessageTooLarge", "ContentRejected"].map(
    (bounceSubType) => [bounce({ bounceType: "Transient", bounceSubType }), undefined] as const
  ),
  [bounce({ bounceType: "Undetermined" }), undefined],
  [complaint({}), "COMPLAINED"],
  [complaint({ complaintFeedbackType: "abuse" }), "COMPLAINED"],
  [complaint({ complaintSubType: "OnAccountSuppressionList" }), "COMPLAINED"],
  [complaint({ complainedRecipients: [{ emailAddress: address }, { emailAddress: "bob@example.com" }] }), undefined],
  [complaint({ complaintFeedbackType: "not-spam" }), undefined],
  [complaint({ complaintFeedbackType: "auth-failure" }), undefined],
  [{ eventType: "Delivery", delivery: { recipients: [address] } }, undefined],
  [{ eventType: "Reject", reject: { reason: "Bad content" } }, undefined]
]

describe("A vendor's word of an address suppresses it where it is for good, or its owner's", () => {
  it.effect("at SendGrid", () =>
    Effect.forEach(events, ([event, reason]) =>
      Effect.map(
        suppressed(Posted.sendGrid({ email: address, ...event })),
        (found) => assert.deepStrictEqual(found, because(reason), JSON.stringify(event))
      )))

  it.effect("at SendGrid each of the events of one post does", () =>
    Effect.gen(function*() {
      const posted = Posted.sendGrid(...events.map(([event]) => ({ email: address, ...event })), {
        event: "spamreport"
      })
      assert.deepStrictEqual(yield* suppressed(posted), events.flatMap(([, reason]) => because(reason)))
    }))

  it.effect("what SendGrid drops for its recipient's sake was unwanted, and has not bounced", () =>
    Effect.forEach(events, ([event, reason]) =>
      Effect.gen(function*() {
        const { receipts = [] } = (yield* told(Posted.sendGrid({ email: address, ...event }))) ?? {}
        for (const { event: kind, isUnwanted = false } of receipts) {
          assert.strictEqual(isUnwanted, kind === "Bounce" && reason !== undefined && reason !== "BOUNCED")
        }
      })))

  it.effect("at Postmark, of the configuration's own message stream", () =>
    Effect.gen(function*() {
      for (const [report, reason] of reports) {
        for (const name of ["Recipient", "Email"]) {
          const found = yield* suppressed(Posted.postmark({ ...report, [name]: address }))
          assert.deepStrictEqual(found, because(reason), JSON.stringify(report))
        }
      }
      const news = { ...change, MessageStream: "news", SuppressSending: true, SuppressionReason: "SpamComplaint" }
      const own = Posted.postmark({ ...news, Recipient: address }, { message_stream: "news" })
      assert.deepStrictEqual(yield* suppressed(own), because("COMPLAINED"))
    }))

  it.effect("at SES", () =>
    Effect.forEach(records, ([record, reason]) =>
      Effect.map(
        Effect.flatMap(Posted.awsSes(record), suppressed),
        (found) => assert.deepStrictEqual(found, because(reason), JSON.stringify(record))
      )))

  it.effect("at the time that the vendor gives, the same at every repeat", () =>
    Effect.gen(function*() {
      const at = Date.UTC(2027, 0, 4, 3, 2, 1)
      const text = new Date(at).toISOString()
      const changed = { ...change, SuppressSending: true, SuppressionReason: "HardBounce", Recipient: address }
      const posts = [
        Posted.sendGrid({ event: "spamreport", email: address, timestamp: at / 1_000 }),
        Posted.postmark({ RecordType: "SpamComplaint", Email: address, BouncedAt: text }),
        Posted.postmark({ ...changed, ChangedAt: text }),
        yield* Posted.awsSes(bounce({ timestamp: text })),
        yield* Posted.awsSes(complaint({ timestamp: text }))
      ]
      for (const post of posts) {
        assert.deepStrictEqual((yield* told(post))?.addresses.map((one) => one.at), [at])
      }
      const untold = Posted.postmark({ RecordType: "SpamComplaint", Email: address })
      assert.deepStrictEqual((yield* told(untold))?.addresses.map((one) => one.at), [undefined])
      const { now } = untold
      const published = yield* Posted.awsSes(complaint({}))
      assert.deepStrictEqual((yield* told(published))?.addresses.map((one) => one.at), [now], "when it was published")
    }))

  it.effect("a copy's address too, though its report says nothing of the message", () =>
    Effect.gen(function*() {
      const tidings_to = "00000000"
      const posts = [
        Posted.sendGrid({ event: "spamreport", email: address, tidings_to }),
        Posted.postmark({ RecordType: "Bounce", Type: "HardBounce", Email: address, Metadata: { tidings_to } }),
        yield* Posted.awsSes(bounce({}), { tidings_to: [tidings_to] })
      ]
      for (const post of posts) {
        const { addresses = [], receipts } = (yield* told(post)) ?? {}
        assert.deepStrictEqual(receipts, [])
        assert.deepStrictEqual(addresses.map((one) => one.address), [address])
      }
    }))
})
