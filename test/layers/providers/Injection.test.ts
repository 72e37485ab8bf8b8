import { internationalAddress } from "#layers/providers/Address.ts"
import * as Email from "#layers/providers/Email.ts"
import * as Headers from "#layers/providers/smtp/Headers.ts"
import * as Mrkdwn from "#src/content/chat/Mrkdwn.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { delivery, rendered, send } from "#test/contracts/VendorRow.ts"
import { awsSes } from "#test/layers/providers/rows/AwsSes.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { postmark } from "#test/layers/providers/rows/Postmark.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schema } from "effect"

/** What a recipient's data may say to be more than words (reliability.md §4). */
const hostile = [
  "@everyone @here",
  "<!channel> <!here> <!everyone>",
  "<@U012AB3CD> <#C123|general>",
  "<https://evil.example|https://bank.example>",
  "[https://bank.example](https://evil.example)",
  "\\[bank](https://evil.example)",
  "<@80351110224678912> <@&41771983423143936>",
  "<at>Ann</at>",
  "&lt;!channel&gt;",
  "line\r\nline\u0000\u001b[31mred"
]

const sentText = Effect.fnUntraced(function*(row: Parameters<typeof send>[0], text: string) {
  const { result, seen } = yield* send(row, row.success, {
    more: { rendered: { ...rendered, title: text, body: text, text } }
  })
  assert.isTrue(Result.isSuccess(result))
  const body = seen.at(-1)?.body ?? "{}"
  const read: Schema.JsonObject = row === Sms.twilio ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
  return read
})

describe("injection", () => {
  it.live("Slack: no command, mention or link is left, and nothing is linked by name", () =>
    Effect.forEach(
      hostile,
      Effect.fnUntraced(function*(text) {
        const body = yield* sentText(Chat.slack, text)
        assert.notMatch(String(body["text"]), /[<>]/)
        assert.deepStrictEqual([body["parse"], body["link_names"]], ["none", false])
      })
    ))

  it.effect.prop(
    "Slack: what was escaped reads as it was written",
    { text: Schema.String },
    ({ text }) =>
      Effect.sync(() => {
        const read = Mrkdwn.escape(text).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
        assert.strictEqual(read, text)
      })
  )

  it.live("Slack: what data says is not formatted, and a title without such marks is bold", () =>
    Effect.gen(function*() {
      const sent = Effect.fnUntraced(function*(title: string, body: string, more: Partial<Delivery> = {}) {
        const { seen } = yield* send(Chat.slack, Chat.slack.success, {
          more: { rendered: { ...rendered, ...more.rendered, title, body }, override: more.override ?? {} }
        })
        const { mrkdwn, text } = JSON.parse(seen.at(-1)?.body ?? "{}")
        return [text, mrkdwn]
      })
      assert.deepStrictEqual(yield* sent("2 * 3", "is 6"), ["2 * 3\nis 6", false])
      for (const body of ["*b*", "2 * 3 * 4", "_ann_", "~s~", "`c`", "```\nc\n```"])
        assert.deepStrictEqual(yield* sent("a", body), [`a\n${body}`, false])
      assert.deepStrictEqual(yield* sent("a", "b\n > c"), ["a\nb\n &gt; c", false])
      assert.deepStrictEqual(
        yield* sent("a_b", "5* > 4\n~/a & `\nhttps://x.io/a_b"),
        ["*a_b*\n5* &gt; 4\n~/a &amp; `\nhttps://x.io/a_b", undefined]
      )
      const own: ReadonlyArray<Partial<Delivery>> = [
        { override: { body: { text: "*mine*" } } },
        { rendered: { ...rendered, raw: { text: "*mine*" } } }
      ]
      for (const more of own) assert.strictEqual((yield* sent("a", "*mine*", more))[1], undefined)
    }))

  it.live("Discord: nobody is mentioned and no link is masked", () =>
    Effect.forEach(
      hostile,
      Effect.fnUntraced(function*(text) {
        const body = yield* sentText(Chat.discord, text)
        assert.deepStrictEqual(body["allowed_mentions"], { parse: [] })
        // Pairs of backslash and character are literal; what is left must hold none that opens anything.
        assert.notMatch(String(body["content"]).replaceAll(/\\[\s\S]/g, ""), /[<>[\]\\]/)
      })
    ))

  it.live("Discord: what data says is not formatted, and an address is a link", () =>
    Effect.gen(function*() {
      const said =
        "**b** __u__ ~~s~~ `c` ||h||\n# head\n-# small\n\n \u00a0- # deep\u2028# line\nhttps://x.io/a_b*c?d=|e"
      const body = yield* sentText(Chat.discord, said)
      const literal =
        "\\*\\*b\\*\\* \\_\\_u\\_\\_ \\~\\~s\\~\\~ \\`c\\` \\|\\|h\\|\\|\n\\# head\n-\\# small\n\n \u00a0- \\# deep\u2028\\# line\nhttps://x.io/a_b*c?d=|e"
      assert.include(String(body["content"]), literal)
    }))

  it.live("Teams: the text is plain to the client", () =>
    Effect.forEach(
      hostile,
      Effect.fnUntraced(function*(text) {
        const body = yield* sentText(Chat.msTeams, text)
        assert.strictEqual(body["textFormat"], "plain")
        assert.notProperty(body, "entities")
      })
    ))

  it.live("SMS: control characters stay out, line ends stay", () =>
    Effect.forEach(
      [Sms.twilio, Sms.vonage],
      Effect.fnUntraced(function*(row) {
        const body = yield* sentText(row, "a\r\nb\u0000\u001b\u0085c\td")
        assert.strictEqual(body["Body"] ?? body["text"], "a\nbc\td")
      })
    ))

  it("e-mail: an address is one address, or none", () => {
    const isAddress = (text: string) => Option.isSome(internationalAddress(text))
    const good = ["ann@example.com", "a.b+c@sub.example.com", "jörg@exämple.de", "o'neil@example.com"]
    const bad = [
      "ann@example.com\r\nBcc: evil@example.com",
      "ann@example.com,evil@example.com",
      "ann@example.com;evil@example.com",
      "team: ann@example.com, evil@example.com;",
      "Ann <ann@example.com>",
      "\"ann\"@example.com",
      "ann(comment)@example.com",
      "ann@example.com\u0000",
      "ann@[127.0.0.1]",
      "ann@@example.com",
      "ann@.example.com",
      "@example.com",
      "ann",
      "",
      `${"a".repeat(250)}@example.com`
    ]
    assert.deepStrictEqual(good.filter((text) => !isAddress(text)), [])
    assert.deepStrictEqual(bad.filter(isAddress), [])
  })

  it.live("e-mail: a recipient that is two addresses is refused, and nothing is sent", () =>
    Effect.forEach(
      [sendGrid, postmark, resend, awsSes],
      Effect.fnUntraced(function*(row) {
        const more = { profile: { email: "ann@example.com\r\nBcc: evil@example.com" } }
        const { result, seen } = yield* send(row, row.success, { more })
        assert.strictEqual(Result.isFailure(result) && result.failure._tag, "RecipientRejected")
        assert.deepStrictEqual(seen, [])
      })
    ))

  it.effect("e-mail: header names are from a list and values have one line", () =>
    Effect.gen(function*() {
      const row = sendGrid
      const of = (override: Schema.JsonObject) =>
        Email.of(delivery(row, { override }), "ann@example.com", { from: "a@b.example" })
      const email = yield* of({ headers: { "X-A": "1\r\nBcc: x@y.example" }, subject: "a\r\nb\u2028c" })
      assert.deepStrictEqual([email.headers, email.subject], [[["X-A", "1 Bcc: x@y.example"]], "a b c"])
      const others = ["X-", "List-", "X-A: b", "X-A b", "X-ü", "AX-B"]
      for (const name of ["Bcc", "To", "Content-Type", "DKIM-Signature", "X-A\r\nBcc", "Return-Path", ...others]) {
        const error = yield* Effect.flip(of({ headers: { [name]: "x" } }))
        assert.strictEqual(error._tag, "ContentRejected", name)
      }
    }))

  it.effect("e-mail: the headers of an answer, of a list and of a bulk mail may be set, over SMTP as at a vendor", () =>
    Effect.gen(function*() {
      const names = [
        ["In-Reply-To", "References", "Thread-Index", "Thread-Topic", "Keywords", "Comments", "Organization"],
        ["List-Id", "List-Help", "List-Owner", "List-Post", "List-Subscribe", "List-Archive", "List-Unsubscribe"],
        ["Precedence", "Auto-Submitted", "Importance", "Priority", "Sensitivity", "Feedback-ID", "X-Campaign"]
      ].flat()
      for (const name of [...names, ...names.map((name) => name.toLowerCase())]) {
        const override = { headers: { [name]: "x" } }
        const email = yield* Email.of(delivery(resend, { override }), "ann@example.com", { from: "a@b.example" })
        assert.deepStrictEqual(email.headers, [[name, "x"]])
        assert.deepStrictEqual(Headers.custom(override.headers), Result.succeed([{ key: name, value: "x" }]))
      }
    }))

  it.effect("e-mail: a sender's name cannot end its quotes", () =>
    Effect.gen(function*() {
      const override = { from: { email: "a@b.example", name: "x\" <evil@example.com>, \"y\r\n" } }
      const email = yield* Email.of(delivery(resend, { override }), "ann@example.com", {})
      assert.strictEqual(Email.written(email.from), "\"x <evil@example.com>, y\" <a@b.example>")
    }))

  it.live("a path cannot be left by an id or a token of the recipient", () =>
    Effect.gen(function*() {
      const discord = yield* send(Chat.discord, Chat.discord.success, {
        more: { profile: { discord: { channel_id: "1/../../users/@me" } } }
      })
      const teams = yield* send(Chat.msTeams, Chat.msTeams.success, {
        more: { profile: { ms_teams: { service_url: "https://smba.trafficmanager.net", conversation_id: "../../x" } } }
      })
      assert.strictEqual(Result.isFailure(discord.result) && discord.result.failure._tag, "RecipientRejected")
      assert.deepStrictEqual(discord.seen, [])
      assert.strictEqual(teams.seen.at(-1)?.path, "/v3/conversations/..%2F..%2Fx/activities")
    }))
})
