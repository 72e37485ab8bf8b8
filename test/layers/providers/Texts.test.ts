import type { Delivery } from "#src/delivery/Provider.ts"
import { messageId, outcomeOf, rendered, type Row, send } from "#test/contracts/VendorRow.ts"
import { all } from "#test/layers/providers/rows/All.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import { assertQuick } from "#test/support/Quick.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"

/** Astral characters, what JSON escapes, and what Discord's escapes double. */
const long = "😀\"[\n".repeat(3_000)

const bodyOf = (row: Row, more: Partial<Delivery>) =>
  Effect.map(send(row, row.success, { more }), ({ seen }) => seen.at(-1)?.body ?? "")

const cutText = /^(?:😀"\[\n)+(?:😀(?:"\[?)?)?…$/u

describe("Texts that are longer than their platform takes", () => {
  it.live("Discord is given as much as it takes, cut neither in a character nor in an escape", () =>
    Effect.gen(function*() {
      const body: unknown = JSON.parse(yield* bodyOf(Chat.discord, { rendered: { ...rendered, body: long } }))
      const content = String(Reflect.get(Object(body), "content"))
      assert.isAtMost(content.length, 2_000)
      assert.isAtLeast(content.length, 1_995)
      assert.match(content.replace(/^.*\n/, "").replaceAll("\\[", "["), cutText)
    }))

  it.live(
    "Discord's escapes of a text take a time that grows with its length, whatever its lines begin with",
    () =>
      Effect.forEach(
        ["\n", "-\n", "\u2028", "\u2029 ", " \n"],
        Effect.fnUntraced(function*(line) {
          const body = `${line.repeat(40_000)}end`
          const sent = yield* assertQuick(500, bodyOf(Chat.discord, { rendered: { ...rendered, body } }))
          assert.include(sent, "Your order")
        })
      ),
    120_000
  )

  it.live("a push notification has 4 kB with all that goes along, and the beginning of its body", () =>
    Effect.forEach(
      [Push.apn, Push.firebaseFcm, Push.expo],
      Effect.fnUntraced(function*(row) {
        const override = { body: row === Push.apn ? { id: "x".repeat(900) } : { data: { id: "x".repeat(900) } } }
        const text = yield* bodyOf(row, { rendered: { ...rendered, body: long }, override })
        const sent = /"title":"Your order","body":("(?:[^"\\]|\\.)*")/.exec(text)?.[1] ?? ""
        assert.isAtMost(Buffer.byteLength(text), row === Push.apn ? 4_096 : 4_400)
        assert.isAtLeast(Buffer.byteLength(text), 4_080)
        assert.match(JSON.parse(sent), cutText)
        assert.include(text, "x".repeat(900))
      })
    ))

  it.live("what only the caller's part is too large for goes as it is, for the platform to refuse", () =>
    Effect.gen(function*() {
      const text = yield* bodyOf(Push.apn, { rendered, override: { body: { id: "x".repeat(5_000) } } })
      assert.include(text, "x".repeat(5_000))
    }))
})

describe("Half a character, with which a text ends that somebody cut", () => {
  it.live("is replaced, wherever it stands: who reads JSON strictly refuses a request with one", () =>
    Effect.forEach(
      all.filter((row) => row !== Sms.twilio),
      Effect.fnUntraced(function*(row) {
        const half = "a\ud83d"
        const halves = { subject: half, title: half, text: half, body: half, html: half }
        const { seen } = yield* send(row, row.success, {
          more: { rendered: { ...rendered, ...halves }, override: { body: { own: [{ text: half }] } } }
        })
        const text = seen.at(-1)?.body ?? ""
        assert.notInclude(text, "\\ud83d", row.entry.key)
        assert.include(text, "a\ufffd", row.entry.key)
        assert.include(text, "\"own\":[{\"text\":\"a\ufffd\"}]", row.entry.key)
      })
    ))

  it.live("is none where the text only looks like one", () =>
    Effect.gen(function*() {
      const text = yield* bodyOf(Sms.vonage, { rendered: { ...rendered, text: "\\ud83d", body: "\\ud83d" } })
      assert.strictEqual(JSON.parse(text).text, "\\ud83d")
    }))
})

describe("Text messages", () => {
  it.live("Vonage, which replaces what its alphabet lacks by `?`, is told the alphabet of the text that is sent", () =>
    Effect.gen(function*() {
      const sent = (body: Schema.JsonObject) =>
        Effect.map(bodyOf(Sms.vonage, { override: { body } }), (text) => JSON.parse(text).type)
      assert.strictEqual(yield* sent({}), "text")
      assert.strictEqual(yield* sent({ text: "Привет" }), "unicode")
      assert.strictEqual(yield* sent({ text: "Привет", type: "text" }), "text", "as the caller says")
    }))

  it.live("a list in Twilio's override is a field that comes several times, and null is none", () =>
    Effect.gen(function*() {
      const MediaUrl = ["https://example.com/a.png", "https://example.com/b.png"]
      const override = { body: { MediaUrl, From: null, SendAsMms: true } }
      const { seen } = yield* send(Sms.twilio, Sms.twilio.success, { more: { override } })
      const form = new URLSearchParams(seen[0]?.body)
      assert.deepStrictEqual([form.getAll("MediaUrl"), form.getAll("From"), form.getAll("SendAsMms")], [
        MediaUrl,
        [],
        ["true"]
      ])
    }))

  it.live("another account of Twilio's calls nobody back, since its token signs what we could not check", () =>
    Effect.gen(function*() {
      const row = {
        ...Sms.twilio,
        settings: { ...Sms.twilio.settings, status_callback: "https://tidings.example/callbacks/pc_1" }
      }
      const callbackOf = (config: Schema.JsonObject) =>
        Effect.map(bodyOf(row, { override: { config } }), (body) => new URLSearchParams(body).get("StatusCallback"))
      const own = `https://tidings.example/callbacks/pc_1?tidings_message_id=${messageId}`
      assert.strictEqual(yield* callbackOf({}), own)
      assert.strictEqual(yield* callbackOf({ from: "+15005550006" }), own)
      assert.isNull(yield* callbackOf({ accountSid: `AC${"0".repeat(32)}`, authToken: "theirs" }))
      assert.isNull(yield* callbackOf({ account_sid: `AC${"0".repeat(32)}` }))
    }))

  it.live("Twilio is given the connection overrides of its status_callback, without which it repeats no 503", () =>
    Effect.gen(function*() {
      const status_callback = "https://tidings.example/callbacks/pc_1#rc=5&rp=all"
      const body = yield* bodyOf({ ...Sms.twilio, settings: { ...Sms.twilio.settings, status_callback } }, {})
      assert.strictEqual(
        new URLSearchParams(body).get("StatusCallback"),
        `https://tidings.example/callbacks/pc_1?tidings_message_id=${messageId}#rc=5&rp=all`
      )
    }))

  it.live("P4: of a text that Vonage sends in parts the first decides: what was sent of it is not sent again", () =>
    Effect.gen(function*() {
      const outcome = (...statuses: ReadonlyArray<string>) => {
        const messages = statuses.map((status, part) => ({ status, "message-id": `part-${part}` }))
        const answer = { status: 200, body: JSON.stringify({ "message-count": `${messages.length}`, messages }) }
        return Effect.map(send(Sms.vonage, answer), ({ result }) => outcomeOf(result))
      }
      assert.deepStrictEqual(
        yield* Effect.all([outcome("0", "0"), outcome("0", "1"), outcome("1", "0"), outcome()]),
        ["Accepted", "Accepted", "RateLimited", "Unknown"]
      )
    }))

  it.live("Vonage sends in the alphabet in which their segments are counted", () =>
    Effect.forEach(
      [
        ["It is on its way.", "text"],
        ["Größe 5, für 12 € [é]", "text"],
        ["run `id`", "unicode"],
        ["façade", "unicode"],
        ["naïve 😀", "unicode"]
      ],
      Effect.fnUntraced(function*([text = "", type]) {
        const { seen } = yield* send(Sms.vonage, Sms.vonage.success, { more: { rendered: { ...rendered, text } } })
        const body: unknown = JSON.parse(seen[0]?.body ?? "")
        assert.deepInclude(body, { text, type }, text)
      })
    ))
})
