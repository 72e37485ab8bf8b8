import { reader } from "#layers/providers/receipts/SendGrid.ts"
import { bodies, callback, type Genuine, headers, read, refuses } from "#test/layers/providers/receipts/Forgeries.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPrivateKey, createPublicKey, sign } from "node:crypto"

/** The vector of SendGrid's own helper libraries. */
const recorded: Genuine = {
  reader,
  settings: {
    webhook_public_key:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=="
  },
  now: 1_600_112_502_000,
  callback: callback({
    headers: {
      "x-twilio-email-event-webhook-signature":
        "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
      "x-twilio-email-event-webhook-timestamp": "1600112502"
    },
    body: `${
      JSON.stringify([{
        email: "hello@world.com",
        event: "dropped",
        reason: "Bounced Address",
        sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
        sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
        "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
        timestamp: 1_600_112_492
      }])
    }\r\n`
  })
}

/** Made for these tests. */
const privateKey = createPrivateKey(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggzunl7khVhMzVDSv
l2pKdnmIyBH1XW10VY1xIux7aXihRANCAASp7M0N536DzlET4LhXV9rglRxeU9dI
GbB+H2ii6B8G+kU4D83zaHVfrTxOxcjK1Lh44XvZ0oBdyU+Y+0hvl67e
-----END PRIVATE KEY-----`)
const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).toString("base64")

const signed = (body: string, timestamp = "1600112502"): Genuine => ({
  ...recorded,
  settings: { webhook_public_key: publicKey },
  callback: callback({
    headers: {
      "x-twilio-email-event-webhook-signature": sign("sha256", Buffer.from(timestamp + body), privateKey).toString(
        "base64"
      ),
      "x-twilio-email-event-webhook-timestamp": timestamp
    },
    body
  })
})

const messageId = "1-5f5fc76c-0123456789abcdef01234567"
/** The fields of every event in the vendor's reference. */
const event = (name: string, more: object = {}) => ({
  email: "example@test.com",
  timestamp: 1_513_299_569,
  "smtp-id": "<14c5d75ce93.dfd.64b469@ismtpd-555>",
  event: name,
  category: "cat facts",
  sg_event_id: `id-${name}`,
  sg_message_id: "14c5d75ce93.filter0001.16648.5515E0B88.0",
  ...more
})

const kinds = (genuine: Genuine) => Effect.map(read(genuine), (receipts) => receipts?.map((receipt) => receipt.event))

describe("SendGrid's event webhook", () => {
  it.effect("reads the recorded one", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read(recorded), [{
        id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
        event: "Bounce",
        messageId: undefined,
        attempt: undefined,
        reference: "LRzXl_NHStOGhQ4kofSm_A",
        at: 1_600_112_492_000,
        detail: "Bounced Address"
      }])
    }))

  it.effect("refuses it with any one byte changed, cut, longer or missing, in the body and in its headers", () =>
    refuses(recorded, [...bodies(recorded), ...headers(recorded)]))

  it.effect("refuses it under another key, under none, and under what is no key", () =>
    Effect.gen(function*() {
      const keys = [publicKey, "", "AAAA", "not base64", publicKey.slice(0, -4), 7, null]
      for (const settings of [{}, ...keys.map((webhook_public_key) => ({ webhook_public_key }))]) {
        assert.isUndefined(yield* read({ ...recorded, settings }))
      }
    }))

  it.effect("takes what SendGrid tries again for a day, signed anew or not; refuses what is older or from the future", () =>
    Effect.gen(function*() {
      const at = (seconds: number) => read({ ...recorded, now: recorded.now + seconds * 1_000 })
      assert.deepStrictEqual([yield* at(86_701), yield* at(-301)], [undefined, undefined])
      assert.isDefined(yield* at(86_700))
      assert.isDefined(yield* at(-300))
    }))

  it.effect("refuses a signed time that is none", () =>
    Effect.gen(function*() {
      for (const timestamp of ["", "soon", "1e9", "-1", "1600112502.5", "9".repeat(400)]) {
        assert.isUndefined(yield* read(signed("[]", timestamp)))
      }
    }))

  it.effect("tells what moves a message from what does not, and finds our id among the custom arguments", () =>
    Effect.gen(function*() {
      const marks = { tidings_message_id: messageId, tidings_attempt: "2" }
      const events = [
        event("processed", marks),
        event("deferred", { response: "400 try again later", attempt: "5" }),
        event("delivered", { ...marks, response: "250 OK" }),
        event("open", marks),
        event("open", { sg_machine_open: true, ...marks }),
        event("click", { url: "http://www.sendgrid.com/", ...marks }),
        event("bounce", { reason: "500 unknown recipient", status: "5.0.0", type: "blocked", ...marks }),
        event("dropped", { reason: "Bounced Address", status: "5.0.0", ...marks }),
        event("spamreport"),
        event("unsubscribe"),
        event("group_unsubscribe", { asm_group_id: 10 }),
        event("constructor"),
        { event: "delivered" },
        null,
        7
      ]
      const found = yield* read(signed(JSON.stringify(events)))
      assert.deepStrictEqual(
        found?.map((receipt) => receipt.event),
        ["Deliver", "Open", "Deliver", "Click", "Bounce", "Bounce"]
      )
      assert.isTrue(found?.every((receipt) => receipt.messageId === messageId && receipt.attempt === 2))
      assert.deepInclude(found?.[4], {
        reference: "14c5d75ce93",
        detail: "5.0.0 500 unknown recipient",
        at: 1_513_299_569_000
      })
    }))

  it.effect("reads an event without an id, as of a mail that was dropped at once; a repeat of it has the same", () =>
    Effect.gen(function*() {
      const { sg_event_id: _, sg_message_id: __, ...bare } = event("dropped", { reason: "Invalid" })
      const ids = (body: string) =>
        Effect.map(read(signed(body)), (found) => found?.map(({ event, id }) => [event, id]))
      const body = JSON.stringify([{ ...bare, tidings_message_id: messageId }])
      const found = yield* ids(body)
      assert.deepStrictEqual(found, [["Bounce", "dropped:1513299569"]])
      assert.deepStrictEqual(yield* ids(body), found)
    }))

  it.effect("a field that is null is as good as absent: the event counts all the same", () =>
    Effect.gen(function*() {
      const nothing = Object.fromEntries(
        ["email", "sg_event_id", "sg_message_id", "sg_machine_open", "reason", "status"].map((name) => [name, null])
      )
      const bounced = event("bounce", { ...nothing, tidings_message_id: messageId })
      assert.deepStrictEqual(
        (yield* read(signed(JSON.stringify([bounced]))))?.map((
          { detail, event, messageId }
        ) => [event, messageId, detail]),
        [["Bounce", messageId, undefined]]
      )
    }))

  it.effect("takes nothing from a signed body that is none of its own", () =>
    Effect.gen(function*() {
      for (const body of ["", "{}", "null", "[", "\"delivered\"", "\u0000"])
        assert.deepStrictEqual(yield* kinds(signed(body)), [])
      // A message's own override may set these arguments, and what no column takes would fail the whole callback.
      for (const tidings_attempt of ["0", "-1", "1.5", "32768", "9".repeat(30), "", null]) {
        const strange = event("delivered", { tidings_message_id: "1-zzz", tidings_attempt })
        assert.deepInclude((yield* read(signed(JSON.stringify([strange]))))?.[0], {
          messageId: undefined,
          attempt: undefined
        })
      }
    }))
})
