import { addrSpec } from "#layers/providers/Address.ts"
import { mailbox } from "#layers/providers/smtp/Mailbox.ts"
import { toDeliveryError } from "#layers/providers/smtp/ErrorTable.ts"
import { smtp } from "#layers/providers/smtp/Smtp.ts"
import { assertQuick } from "#test/support/Quick.ts"
import { start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { delivery, type Parts, vendor } from "./Deliveries.ts"

const evil = "evil@e.test"

/** Refused before a connection is opened; each was tried on nodemailer, and some got through there. */
const refused: Readonly<Record<string, Parts>> = {
  "subject with a header": { subject: `hi\r\nBcc: ${evil}\r\n\r\nbody` },
  "subject with a bare CR": { subject: "hi\rBcc: x" },
  "subject with NUL": { subject: "hi\u0000" },
  "subject longer than a line may be": { subject: "word ".repeat(200) },
  "text with NUL": { text: "hi\u0000" },
  "html with NUL": { html: "hi\u0000" },
  "address with a second one after CRLF": { email: `b@x.test\r\nBcc: ${evil}` },
  "address with a command": { email: `b@x.test>\r\nRCPT TO:<${evil}` },
  "address with a bare LF": { email: `b@x.test\n${evil}` },
  "quoted local part": { email: `"${evil} x"@x.test` },
  "list": { email: `b@x.test, ${evil}` },
  "group": { email: `G: ${evil}, b@x.test;` },
  "comment": { email: "b(c)@x.test" },
  "source route": { email: "@a.test:b@x.test" },
  "angle brackets": { email: "<b@x.test>" },
  "display name in the address": { email: "B <b@x.test>" },
  "address literal": { email: "b@[127.0.0.1]" },
  "address as domain": { email: "b@127.0.0.1" },
  "full-width address as domain": { email: "b@１２７.1" },
  "NUL": { email: "b\u0000@x.test" },
  "two at signs": { email: "b@c@x.test" },
  "percent hack stays one address, a space does not": { email: "b c@x.test" },
  "non-ASCII local part": { email: "bø@x.test" },
  "no address": { email: "" },
  "an object": { email: { address: "b@x.test" } },
  "cc list of nobody": { override: { cc: " , " } },
  "cc list with a group": { override: { cc: `G: ${evil}, b@x.test;` } },
  "bcc with CRLF": { override: { bcc: [`b@x.test\r\nRCPT TO:<${evil}>`] } },
  "reply-to name with CRLF": { override: { reply_to: { email: "b@x.test", name: `B\r\nBcc: ${evil}` } } },
  "from name with CRLF": { override: { from: { email: "b@x.test", name: "B\nX: y" } } },
  "from name with NEL": { override: { from: { email: "b@x.test", name: "B\u0085X: y" } } },
  "from with two addresses": { override: { from: ["a@x.test", "b@x.test"] } },
  "name of a kilobyte": { override: { from: { email: "a@x.test", name: "word ".repeat(200) } } },
  "name with list syntax": { override: { from: "a@x.test, B <b@x.test>" } },
  "to without anyone": { override: { to: [] } },
  "too many": { override: { bcc: Array.from({ length: 101 }, (_, index) => `b${index}@x.test`) } },
  "header value with CRLF": { override: { headers: { "X-A": `v\r\nBcc: ${evil}` } } },
  "header name with CRLF": { override: { headers: { "X-B\r\nBcc": evil } } },
  "header name with colon": { override: { headers: { "X-B: y\nX": "z" } } },
  "header given twice": { override: { headers: { "X-B": "y", "x-b": "z" } } },
  "header as nodemailer's object": { override: { headers: { "X-B": { prepared: true, value: "a\r\nBcc: x" } } } },
  "header of more than 4 kB": { override: { headers: { "X-B": "word ".repeat(900) } } },
  "headers in a list": { override: { headers: ["X-B: y"] } },
  "header too long to fold": { override: { headers: { "X-B": "y".repeat(1000) } } },
  "attachments that are one": { override: { attachments: { content: "x" } } },
  "too many attachments": { override: { attachments: Array.from({ length: 51 }, () => ({ content: "x" })) } },
  "attachment name of a kilobyte": { override: { attachments: [{ filename: "a".repeat(1_000), content: "x" }] } },
  "attachment from a file": { override: { body: { attachments: [{ filename: "p", path: "/etc/hostname" }] } } },
  "attachment from a URL": { override: { body: { attachments: [{ filename: "p", href: "http://127.0.0.1:1/x" }] } } },
  "attachment as ready MIME": { override: { body: { attachments: [{ raw: "X: y\r\n\r\nz" }] } } },
  "attachment with headers": { override: { attachments: [{ content: "x", headers: { "X": "y" } }] } },
  "attachment content from a file": { override: { attachments: [{ content: { path: "/etc/hostname" } }] } },
  "attachment name with CRLF": { override: { attachments: [{ filename: `a\r\nBcc: ${evil}`, content: "x" }] } },
  "attachment type with CRLF": {
    override: { attachments: [{ filename: "a", content: "x", contentType: "text/plain\r\nX-Evil: 1" }] }
  },
  "attachment as multipart": { override: { attachments: [{ content: "x", contentType: "multipart/mixed" }] } },
  "attachment cid with CRLF": { override: { attachments: [{ content: "x", cid: "a>\r\nX: y" }] } },
  "attachment that is no base64": { override: { attachments: [{ content: "%%%", encoding: "base64" }] } },
  "html from a file": { override: { html: { path: "/etc/hostname" } } },
  "text as an object": { override: { text: { href: "http://127.0.0.1/" } } }
}

for (
  const name of [
    "From",
    "To",
    "Cc",
    "Bcc",
    "Sender",
    "Reply-To",
    "Subject",
    "Date",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "DKIM-Signature",
    "Received",
    "Return-Path",
    "Resent-To",
    "Errors-To",
    "ARC-Seal",
    "Disposition-Notification-To",
    "__proto__x"
  ]
) {
  Object.assign(refused, { [`header ${name}`]: { override: { headers: { [name]: "x" } } } })
}

describe("SMTP injection", () => {
  it.live("a subject that is too long is told from one that is not one line", () =>
    Effect.gen(function*() {
      const provider = yield* vendor((yield* start()).port)
      const said = (subject: string) =>
        Effect.map(Effect.flip(provider.send(delivery({ subject }))), (error) => "detail" in error ? error.detail : "")
      assert.strictEqual(yield* said("x".repeat(999)), "The subject is longer than 998 characters")
      assert.strictEqual(yield* said("x\ny"), "The subject is not one line of text")
    }).pipe(Effect.scoped))

  it.live("nothing that breaks out of its place is sent, or even connected for", () =>
    Effect.gen(function*() {
      const server = yield* start()
      const provider = yield* vendor(server.port)
      for (const [name, parts] of Object.entries(refused)) {
        const result = yield* Effect.result(provider.send(delivery(parts)))
        if (Result.isSuccess(result)) return assert.fail(`${name}: sent`)
        assert.strictEqual(result.failure._tag, "email" in parts ? "RecipientRejected" : "ContentRejected", name)
        assert.notInclude(result.failure.detail, "test", `${name}: P9`)
      }
      assert.strictEqual(server.connections(), 0)
    }))

  it("reaches exactly those whose address would be sent to", () =>
    Effect.gen(function*() {
      const provider = yield* vendor(1)
      for (const [name, { email }] of Object.entries(refused)) {
        if (email !== undefined) assert.isFalse(provider.reaches({ email }), name)
      }
      assert.isFalse(provider.reaches({}))
      assert.isTrue(provider.reaches({ email: "b@x.test" }))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("an address is one mailbox, its domain in ASCII and lower case", () => {
    const cases: Readonly<Record<string, string>> = {
      "b@x.test": "b@x.test",
      " Bob.O'Neil+tag@X.Test ": "Bob.O'Neil+tag@x.test",
      "b@bücher.test": "b@xn--bcher-kva.test",
      "b@例え.テスト": "b@xn--r8jz45g.xn--zckzah",
      "b%c@x.test": "b%c@x.test",
      "b@localhost": "b@localhost"
    }
    for (const [text, address] of Object.entries(cases))
      assert.deepStrictEqual(addrSpec(text), Option.some(address), text)
    for (
      const text of [
        "b@x..test",
        "b@-x.test",
        "b@x.test.",
        ".b@x.test",
        "b.@x.test",
        "b@0x7f.1",
        "b@a_b.test",
        "b@x.test/y"
      ]
    ) {
      assert.isTrue(Option.isNone(addrSpec(text)), text)
    }
    assert.isTrue(Option.isNone(addrSpec(`${"l".repeat(65)}@x.test`)))
    assert.isTrue(Option.isNone(addrSpec(`b@${"d".repeat(64)}.test`)))
    // 254 characters are the most that an address has.
    const domain = (letters: number) => `${"d".repeat(59)}.${"d".repeat(59)}.${"d".repeat(59)}.${"d".repeat(letters)}`
    assert.isTrue(Option.isSome(addrSpec(`${"l".repeat(64)}@${domain(9)}`)))
    assert.isTrue(Option.isNone(addrSpec(`${"l".repeat(64)}@${domain(10)}`)))
  })

  it("a mailbox may have a name, in each of the ways that callers write it", () => {
    const ada = Option.some({ name: "Ada, Countess", address: "ada@x.test" })
    assert.deepStrictEqual(mailbox("\"Ada, Countess\" <ada@x.test>"), ada)
    assert.deepStrictEqual(mailbox({ email: "ada@x.test", name: "Ada, Countess" }), ada)
    assert.deepStrictEqual(mailbox({ address: "ada@x.test", name: "Ada, Countess" }), ada)
    assert.deepStrictEqual(mailbox("Ada <ada@x.test>"), Option.some({ name: "Ada", address: "ada@x.test" }))
  })

  it.live("what is hostile by its length is refused as fast as anything", () =>
    Effect.gen(function*() {
      const provider = yield* vendor(1)
      const long = 1_000_000
      const cases: ReadonlyArray<Parts> = [
        { email: `a${" ".repeat(long)}@x.test` },
        { override: { cc: `${"<".repeat(long)}b@x.test` } },
        { override: { headers: { "X-A": `${" ".repeat(long)}x` } } },
        { override: { attachments: [{ content: `${"\n".repeat(long)}%`, encoding: "base64" }] } },
        { override: { attachments: [{ content: "", contentType: `a/b${"; c=d".repeat(long / 5)}%` }] } }
      ]
      yield* assertQuick(
        2_000,
        Effect.forEach(cases, (parts) => Effect.flip(provider.send(delivery(parts))), { discard: true })
      )
      const rambling = toDeliveryError({
        _tag: "Refused",
        stage: "rcpt",
        code: 550,
        enhanced: undefined,
        text: "x".repeat(long)
      })
      assert.isBelow(rambling.detail.length, 250)
    }))

  it.live("the settings are held to the same rules", () =>
    Effect.gen(function*() {
      for (
        const wrong of [
          { from_address: "a@x.test, b@x.test" },
          { from_name: "A\r\nBcc: b@x.test" },
          { name: "me\r\nMAIL FROM:<x>" },
          { host: "a b" },
          { password: "without a name" },
          { dkim: { domain: "x.test", selector: "s", private_key: "no key" } }
        ]
      ) {
        const exit = yield* Effect.exit(vendor(25, wrong))
        assert.strictEqual(exit._tag, "Failure", JSON.stringify(wrong))
      }
      assert.strictEqual(smtp.key, "smtp")
    }))
})
