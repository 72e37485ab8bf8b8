import { compose } from "#layers/providers/smtp/Compose.ts"
import * as Mail from "#layers/providers/smtp/Mail.ts"
import { header } from "#test/support/CapturingSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Schema } from "effect"
import { dkimVerify } from "mailauth"
import { generateKeyPairSync } from "node:crypto"
import { delivery, type Parts } from "./Deliveries.ts"

const pair = generateKeyPairSync("ed25519")
const dkim = { domain: "sender.test", selector: "s1", key: pair.privateKey }
const published = pair.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64")

const composed = Effect.fnUntraced(function*(parts: Parts = {}, at = 0, signer?: typeof dkim) {
  const mail = yield* Effect.fromResult(Mail.fromDelivery(delivery(parts), { name: "", address: "news@sender.test" }))
  return compose(mail, { idempotencyToken: parts.token ?? "one", date: new Date(at), dkim: signer })
})

const textOf = (parts: Parts = {}, at = 0, signer?: typeof dkim) =>
  Effect.map(composed(parts, at, signer), ({ raw }) => raw.toString("latin1"))

/** Whether the signature in front of the message holds. */
const verified = (message: string) =>
  Effect.promise(async () => {
    const { results } = await dkimVerify(Buffer.from(message, "latin1"), {
      resolver: async () => [[`v=DKIM1; k=ed25519; p=${published}`]]
    })
    return results.map(({ status }) => status.result).join() === "pass"
  })

/** A header's text as RFC 2047 has it read: folds are blanks, and those between encoded words nothing. */
const read = (value: string): string =>
  value.trim().replace(/\r\n[ \t]/g, " ").replace(
    /=\?utf-8\?([bq])\?([^?]*)\?=(?: +(?==\?))?/gi,
    (_, form: string, word: string) =>
      Buffer.from(
        form.toLowerCase() === "b"
          ? word
          : word.replaceAll("_", " ").replace(
            /=([0-9A-F]{2})/g,
            (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))
          ),
        form.toLowerCase() === "b" ? "base64" : "latin1"
      ).toString("utf8")
  )

describe("A composed message", () => {
  it.effect("P4: is the same to its last byte at every attempt, and another for another message", () =>
    Effect.gen(function*() {
      const parts = { html: "<p>Hi</p>", override: { attachments: [{ filename: "a.txt", content: "a" }] } }
      const first = yield* textOf(parts)
      assert.strictEqual(yield* textOf(parts), first)
      const boundary = /boundary="([^"]+)"/.exec(first)?.[1] ?? assert.fail("no boundary")
      assert.notInclude(yield* textOf({ ...parts, token: "two" }), boundary)
    }))

  it.effect("is dated by the clock of this attempt", () =>
    Effect.gen(function*() {
      const at = Date.UTC(2026, 0, 2, 3, 4, 5)
      assert.strictEqual(header(yield* textOf({}, at), "Date"), "Fri, 02 Jan 2026 03:04:05 +0000")
    }))

  it.effect("goes once to each address, however often it is named", () =>
    Effect.gen(function*() {
      const override = { to: ["a@x.test", "a@x.test"], cc: ["a@x.test", "b@x.test"], bcc: "b@x.test, c@x.test" }
      const { envelope, required } = yield* composed({ override })
      assert.deepStrictEqual(envelope.to, ["a@x.test", "b@x.test", "c@x.test"])
      assert.deepStrictEqual([...required], ["a@x.test"])
    }))

  it.effect("has a subject that reads as it was given, on lines of at most 998 bytes", () =>
    Effect.gen(function*() {
      for (
        const subject of ["=?utf-8?q?x?=", "Order =?utf-8?b?eA==?= for you", "a".repeat(998), `Hi ${"ü".repeat(400)}`]
      ) {
        const text = yield* textOf({ subject })
        for (const line of text.split("\r\n")) assert.isAtMost(line.length, 998)
        assert.strictEqual(read(header(text, "Subject") ?? ""), subject)
      }
    }))

  it.effect("has a text to show also where it says nothing", () =>
    Effect.gen(function*() {
      const override = { attachments: [{ filename: "a.pdf", content: "a" }] }
      assert.match(yield* textOf({ text: "", override }), /^Content-Type: text\/plain/m)
    }))

  it.effect("has a picture of its HTML in it, found by its id; another file is to be kept", () =>
    Effect.gen(function*() {
      const picture = { filename: "a.png", content: "a", cid: "logo", contentDisposition: "inline" }
      const text = yield* textOf({
        html: `<img src="cid:logo">`,
        override: { attachments: [picture, { filename: "a.txt", content: "a" }] }
      })
      assert.match(text, /^Content-Id: <logo>/im)
      assert.match(text, /^Content-Disposition: inline; filename=a.png/m)
      assert.match(text, /^Content-Disposition: attachment; filename=a.txt/m)
    }))

  const word = Schema.Literals([" ", "\r\n", "\n", "\t", ".", "a", "Ada", "ü", "=", "  \n", "\n\n\n"])
  it.effect.prop(
    "its signature holds, whatever its subject and text are",
    { words: Schema.Array(word).check(Schema.isMaxLength(12)) },
    ({ words }) =>
      Effect.gen(function*() {
        const text = words.join("")
        const subject = text.replaceAll(/\s/g, " ")
        assert.isTrue(yield* verified(yield* textOf({ text, subject }, 0, dkim)), JSON.stringify(words))
      })
  )

  it.effect("its signature breaks where a header is added that tells which message it answers, or how it is read", () =>
    Effect.gen(function*() {
      const text = yield* textOf({}, 0, dkim)
      const names = [
        ["In-Reply-To", "References", "Content-Transfer-Encoding", "Cc", "Reply-To"],
        ["List-Unsubscribe", "List-Unsubscribe-Post"]
      ].flat()
      const listed = yield* textOf(
        {
          override: { headers: { "List-Unsubscribe": "<https://x.test/u>", "List-Unsubscribe-Post": "a" } }
        },
        0,
        dkim
      )
      for (const name of names) {
        const message = name.startsWith("List") ? listed : text
        assert.isTrue(yield* verified(message))
        assert.isFalse(yield* verified(`${name}: x\r\n${message}`), name)
      }
    }))

  it.effect("has at most 50 headers of a message's own and 100 recipients of all kinds", () =>
    Effect.gen(function*() {
      const headers = (count: number) =>
        Object.fromEntries(Array.makeBy(count, (index) => [`X-${index}`, "a"] as const))
      const people = (count: number) => Array.makeBy(count, (index) => `p${index}@x.test`)
      yield* composed({ override: { headers: headers(50), cc: people(49), bcc: people(50) } })
      yield* Effect.flip(composed({ override: { headers: headers(51) } }))
      yield* Effect.flip(composed({ override: { cc: people(50), bcc: people(50) } }))
    }))
})
