import { reader } from "#layers/providers/receipts/Twilio.ts"
import { MessageId } from "#schemas/MessageId.ts"
import {
  bodies,
  callback,
  flipped,
  type Genuine,
  headers,
  read,
  refuses
} from "#test/layers/providers/receipts/Forgeries.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { Effect, Schema } from "effect"
import twilio from "twilio"

const token = "2b2c4f0fae1e4a6a8f0f0d1cf9c9e1d2"
const messageId = MessageId.make("1-5f5fc76c-0123456789abcdef01234567")
const url = `https://tidings.example/callbacks/pc_1?tidings_message_id=${messageId}`

/** A status callback of Twilio's guide (Track the Message Status of Outbound Messages), with our address. */
const fields = (more: Readonly<Record<string, string>> = {}) => ({
  SmsSid: "SM1234567890abcdef1234567890abcdef",
  SmsStatus: "delivered",
  MessageStatus: "delivered",
  To: "+15558675310",
  MessageSid: "SM1234567890abcdef1234567890abcdef",
  AccountSid: "AC1234567890abcdef1234567890abcdef",
  From: "+15017122661",
  ApiVersion: "2010-04-01",
  ...more
})

/** Signed by the vendor's own library. */
const signed = (
  form: Readonly<Record<string, string>>,
  address = url,
  seen: ReadonlyArray<string> = [address]
): Genuine => ({
  reader,
  settings: { auth_token: token },
  now: 1_600_112_502_000,
  callback: callback({
    urls: seen,
    query: new URL(address).searchParams,
    headers: { "x-twilio-signature": twilio.getExpectedTwilioSignature(token, address, form) },
    body: new URLSearchParams(form).toString()
  })
})

const genuine = signed(fields())

describe("Twilio's status callback", () => {
  it.effect("verifies the example of Twilio's security page", () =>
    Effect.gen(function*() {
      const body = new URLSearchParams({
        CallSid: "CA1234567890ABCDE",
        Caller: "+12349013030",
        Digits: "1234",
        From: "+12349013030",
        To: "+18005551212"
      })
      const address = "https://mycompany.com/myapp.php?foo=1&bar=2"
      const example: Genuine = {
        ...genuine,
        settings: { auth_token: "12345" },
        callback: callback({
          urls: [address],
          query: new URL(address).searchParams,
          headers: { "x-twilio-signature": "0/KCTR6DLpKmkAf8muzZqo1nDgQ=" },
          body: body.toString()
        })
      }
      assert.deepStrictEqual(yield* read(example), [])
      assert.isUndefined(yield* read({ ...example, settings: { auth_token: "12346" } }))
    }))

  it.effect("reads the recorded one", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read(genuine), [{
        id: "SM1234567890abcdef1234567890abcdef:delivered",
        event: "Deliver",
        messageId,
        attempt: undefined,
        reference: "SM1234567890abcdef1234567890abcdef",
        at: undefined,
        detail: undefined
      }])
    }))

  it.effect("refuses it with any one byte changed, cut, longer or missing: body, signature, address", () =>
    Effect.gen(function*() {
      const addresses = flipped(url).map((changed) => ({ ...genuine.callback, urls: [changed] }))
      yield* refuses(genuine, [...bodies(genuine), ...headers(genuine), ...addresses, {
        ...genuine.callback,
        urls: []
      }])
    }))

  it.effect("counts a name that comes twice once per value", () =>
    Effect.gen(function*() {
      const address = "https://tidings.example/callbacks/pc_1"
      const body = "Media=b&Media=a&Media=b&A=1"
      const signature = createHmac("sha1", token).update(`${address}A1MediaaMediab`).digest("base64")
      const seen = callback({ urls: [address], headers: { "x-twilio-signature": signature }, body })
      assert.deepStrictEqual(yield* read({ ...genuine, callback: seen }), [])
    }))

  it.effect("refuses what is longer than any of Twilio's, and takes no time over what is as long", () =>
    Effect.gen(function*() {
      const long = { ...genuine, ...signed(fields({ ErrorMessage: "x".repeat(70_000) })) }
      assert.isUndefined(yield* read(long))
      const names = Array.from({ length: 13_000 }, (_, index) => index.toString(36)).join("&")
      const many = { ...genuine, callback: callback({ ...genuine.callback, body: names }) }
      assertQuick(() => Effect.runSync(Effect.exit(read(many))), "names")
    }))

  it.effect("refuses it without a token, or under another", () =>
    Effect.gen(function*() {
      for (const settings of [{}, { auth_token: "" }, { auth_token: `${token}0` }, { auth_token: 7 }]) {
        assert.isUndefined(yield* read({ ...genuine, settings }))
      }
    }))

  it.effect("takes the address behind a proxy, and with or without its port", () =>
    Effect.gen(function*() {
      const path = "/callbacks/pc_1?tidings_message_id=x"
      const seen = [`https://tidings.example${path}`, `http://tidings.example${path}`, `http://10.0.0.7:3000${path}`]
      for (const origin of ["https://tidings.example", "https://tidings.example:443", "http://tidings.example:80"]) {
        assert.isDefined(yield* read(signed(fields(), `${origin}${path}`, seen)))
      }
      assert.isUndefined(yield* read(signed(fields(), `https://elsewhere.example${path}`, seen)))
    }))

  it.effect("takes the address that its own configuration gave away, whatever a proxy made of it", () =>
    Effect.gen(function*() {
      const base = "https://example.com/tidings/callbacks/pc_1"
      const behind = signed(fields(), `${base}?tidings_message_id=${messageId}`, [
        "http://10.0.0.7:3000/callbacks/pc_1"
      ])
      assert.isUndefined(yield* read(behind))
      const settings = { auth_token: token, status_callback: base }
      assert.isDefined(yield* read({ ...behind, settings }))
      const other = {
        ...behind.callback,
        query: new URLSearchParams({ tidings_message_id: messageId.replace("1-", "2-") })
      }
      assert.isUndefined(yield* read({ ...behind, settings, callback: other }))
      assert.isUndefined(yield* read({ ...behind, settings: { ...settings, status_callback: "nowhere" } }))
    }))

  it.effect("takes the address that its own configuration gave away with connection overrides, whether Twilio signs them or not", () =>
    Effect.gen(function*() {
      const base = "https://example.com/tidings/callbacks/pc_1"
      const settings = { auth_token: token, status_callback: `${base}#rc=5&rp=all` }
      const seen = ["http://10.0.0.7:3000/callbacks/pc_1"]
      for (const fragment of ["", "#rc=5&rp=all"]) {
        const behind = signed(fields(), `${base}?tidings_message_id=${messageId}${fragment}`, seen)
        assert.isDefined(yield* read({ ...behind, settings }))
      }
      const other = signed(fields(), `${base}?tidings_message_id=${messageId}#rc=1`, seen)
      assert.isUndefined(yield* read({ ...other, settings }))
    }))

  it.effect("tells what moves a message from what does not", () =>
    Effect.gen(function*() {
      const kind = (MessageStatus: string, more: Readonly<Record<string, string>> = {}) =>
        Effect.map(read(signed(fields({ MessageStatus, ...more }))), (receipts) =>
          receipts?.map(({ detail, event }) => [event, detail]))
      for (const status of ["accepted", "queued", "sending", "sent", "canceled", "", "constructor"]) {
        assert.deepStrictEqual(yield* kind(status), [])
      }
      assert.deepStrictEqual(yield* kind("read"), [["Open", undefined]])
      assert.deepStrictEqual(yield* kind("undelivered", { ErrorCode: "30005" }), [["Bounce", "undelivered 30005"]])
      assert.deepStrictEqual(
        yield* kind("failed", { ErrorCode: "30008", ErrorMessage: "Unknown error" }),
        [["Bounce", "failed 30008 Unknown error"]]
      )
    }))

  it.effect.prop(
    "agrees with the vendor's own library on any fields",
    { form: Schema.Record(Schema.String, Schema.String) },
    ({ form }) =>
      Effect.gen(function*() {
        const plain = Object.fromEntries(new URLSearchParams(form))
        assert.isDefined(yield* read(signed(plain)))
      })
  )
})
