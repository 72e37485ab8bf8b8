import * as Email from "#layers/providers/Email.ts"
import * as Mail from "#layers/providers/smtp/Mail.ts"
import { delivery, send } from "#test/contracts/VendorRow.ts"
import { awsSes } from "#test/layers/providers/rows/AwsSes.ts"
import { postmark } from "#test/layers/providers/rows/Postmark.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, type Schema } from "effect"

const rows = { sendGrid, postmark, resend, awsSes }

describe("Overridden", () => {
  it.live("an e-mail goes to whom the override names, over every vendor, and to nobody else", () =>
    Effect.gen(function*() {
      for (const [name, row] of Object.entries(rows)) {
        for (const to of ["qa@example.net", ["qa@example.net", { email: "qb@example.net", name: "Q, B" }]]) {
          const { result, seen } = yield* send(row, row.success, { more: { override: { to } } })
          assert.isTrue(Result.isSuccess(result), name)
          const body = seen.at(-1)?.body ?? ""
          assert.include(body, "qa@example.net", name)
          assert.strictEqual(body.includes("qb@example.net"), Array.isArray(to), name)
          assert.notInclude(body, "ann@example.com", name)
        }
        for (const to of [[], "nobody", ["qa@example.net", "b@"]]) {
          const { result, seen } = yield* send(row, row.success, { more: { override: { to } } })
          assert.strictEqual(Result.isFailure(result) && result.failure._tag, "ContentRejected", name)
          assert.deepStrictEqual(seen, [], name)
        }
      }
    }))

  it.effect("headers and attachments are what they are at SMTP", () =>
    Effect.gen(function*() {
      const of = (override: Schema.JsonObject) =>
        Email.of(delivery(resend, { override }), "ann@example.com", { from: "a@b.example" })
      const { headers } = yield* of({ headers: { "X-Priority": 1, "X-Auto": true, "X-None": "", "X-Text": "a" } })
      assert.deepStrictEqual(headers, [["X-Priority", "1"], ["X-Auto", "true"], ["X-Text", "a"]])
      const { headers: [beyond] } = yield* of({ headers: { "X-Campaign": "für Größe 5" } })
      assert.deepStrictEqual(beyond, ["X-Campaign", "=?UTF-8?B?ZsO8ciBHcsO2w59l?= 5"])
      const file = { filename: "a.txt", content: "Grüße", encoding: "utf-8" }
      const { attachments } = yield* of({
        attachments: [
          file,
          { ...file, encoding: "utf8" },
          { ...file, content: "R3LDvMOfZQ==", encoding: "base64" },
          // In lines, as mails have it.
          { ...file, content: "R3LD\r\nvMOf\r\nZQ==\r\n", encoding: "base64" }
        ]
      })
      assert.deepStrictEqual(attachments.map(({ content }) => content), Array(4).fill("R3LDvMOfZQ=="))
      const kinds = ["a.eml", "a.mht", "a.pdf", "a"].map((filename) => ({ ...file, filename }))
      // A message in a message may not be encoded, so it is a file like any other.
      assert.deepStrictEqual((yield* of({ attachments: kinds })).attachments.map(({ type }) => type), [
        "application/octet-stream",
        "application/octet-stream",
        "application/pdf",
        "application/octet-stream"
      ])
      for (
        const wrong of [
          { encoding: "hex" },
          { encoding: "base64" },
          { contentType: "text/plain\r\nX-Evil: 1" },
          { filename: "a\r\nb" },
          { cid: "a>\r\nX: y" },
          { path: "/etc/hostname" }
        ]
      ) {
        const error = yield* Effect.flip(of({ attachments: [{ ...file, ...wrong }] }))
        assert.strictEqual(error._tag, "ContentRejected", JSON.stringify(wrong))
      }
    }))

  it.effect("a file of the channel's override is the same at every vendor, SMTP among them", () =>
    Effect.gen(function*() {
      const files = [
        { filename: "a", content: "aGVsbG8=" },
        { filename: "b", content: "aGVsbG8=", contentType: "text/plain" },
        { filename: "c", content: "hello", encoding: "utf-8" }
      ]
      const given = delivery(resend, { override: { attachments: files } })
      const overHttp = (yield* Email.of(given, "ann@example.com", { from: "a@b.example" })).attachments
        .map(({ content }) => content)
      const mailed = (override: Schema.JsonObject) =>
        Effect.fromResult(Mail.fromDelivery({ ...given, override }, { name: "", address: "a@b.example" })).pipe(
          Effect.map(({ attachments }) => attachments.map(({ content }) => content.toString("base64")))
        )
      assert.deepStrictEqual(overHttp, Array(3).fill("aGVsbG8="))
      assert.deepStrictEqual(yield* mailed(given.override), overHttp)
      // In `override.body` it is in SMTP's own form, whose contents are text.
      assert.deepStrictEqual(yield* mailed({ attachments: files, body: { attachments: [{ content: "hello" }] } }), [
        "aGVsbG8="
      ])
    }))

  it.live("an invitation keeps its parameters, but at SendGrid, which takes its method alone", () =>
    Effect.gen(function*() {
      const type = "text/calendar; charset=UTF-8; method=REQUEST"
      const override = { attachments: [{ filename: "приглашение.ics", content: "QkVHSU4=", contentType: type }] }
      const sent = Effect.fnUntraced(function*(row: typeof sendGrid) {
        const { result, seen } = yield* send(row, row.success, { more: { override } })
        assert.isTrue(Result.isSuccess(result))
        return seen.at(-1)?.body ?? ""
      })
      for (const row of [postmark, resend, awsSes]) assert.include(yield* sent(row), `"${type}"`)
      const body = yield* sent(sendGrid)
      assert.include(body, "\"text/calendar; method=REQUEST\"")
      assert.include(body, "приглашение.ics")
    }))

  it.effect("a comma in a quoted name parts no addresses", () =>
    Effect.gen(function*() {
      const of = (cc: string | ReadonlyArray<string>) =>
        Effect.map(
          Email.of(delivery(resend, { override: { cc } }), "ann@example.com", { from: "a@b.example" }),
          (email) => email.cc
        )
      const doe = { email: "doe@example.net", name: "Doe, Ann" }
      const bob = { email: "bob@example.net" }
      assert.deepStrictEqual(yield* of("\"Doe, Ann\" <doe@example.net>"), [doe])
      assert.deepStrictEqual(yield* of("bob@example.net,\"Doe, Ann\" <doe@example.net>"), [bob, doe])
      assert.deepStrictEqual(yield* of(["\"Doe, Ann\" <doe@example.net>", "bob@example.net"]), [doe, bob])
      assert.deepStrictEqual(yield* of("bob@example.net, , "), [bob])
      for (const cc of ["", ",", "\"", "\"Doe, Ann <doe@example.net>", "Doe, Ann <doe@example.net>"])
        assert.strictEqual((yield* Effect.flip(of(cc)))._tag, "ContentRejected", cc)
    }))

  it.effect("null says nothing (api.md 1.8)", () =>
    Effect.gen(function*() {
      const names = ["from", "to", "reply_to", "cc", "bcc", "subject", "text", "html", "headers", "attachments"]
      const of = (override: object) =>
        Email.of(delivery(resend, { override: { ...override } }), "ann@example.com", { from: "a@b.example" })
      const plain = yield* of({})
      assert.deepStrictEqual(yield* of(Object.fromEntries(names.map((name) => [name, null]))), plain)
      const file = { filename: "a", content: "YQ==", type: null, content_type: null, contentType: null, cid: null }
      assert.deepStrictEqual((yield* of({ attachments: [{ ...file, content_id: null }] })).attachments, [
        { filename: "a", content: "YQ==", type: "application/octet-stream", contentId: undefined }
      ])
    }))
})
