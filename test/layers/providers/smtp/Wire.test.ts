import { isObject } from "#schemas/Json.ts"
import { type Captured, start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Result, type Schema } from "effect"
import { delivery, type Parts, vendor } from "./Deliveries.ts"

const count = 10_000

const fragments = [
  "\r\n.\r\n",
  "\n.\n",
  "\r.\r",
  "\n.\r\n",
  ".\r\n",
  "..",
  ".",
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  "Bcc: evil@e.test\r\n",
  "MAIL FROM:<evil@e.test>\r\n",
  "RCPT TO:<evil@e.test>\r\n",
  "DATA\r\n",
  "QUIT\r\n",
  "=0D=0A",
  "=?utf-8?Q?=0ABcc:_x?=",
  "--",
  "\"",
  "<",
  ">",
  ",",
  ";",
  ":",
  "(",
  "\\",
  "\u0000",
  "\u0085",
  "\u2028",
  "é",
  "日本語",
  "👩‍🚀",
  "\ud800",
  "\t",
  " ",
  " ".repeat(100),
  "x".repeat(1200),
  "Hello Bob",
  "word "
] as const
/** Those that may stand in a line, so that most messages are sent. */
const harmless = [
  "Hello Bob",
  "é",
  "日本語",
  "👩‍🚀",
  "\"",
  "<",
  ",",
  ";",
  ":",
  "=?utf-8?Q?=0ABcc:_x?=",
  "..",
  "(",
  "\\",
  " "
]

const pick = <A>(values: ReadonlyArray<A>) =>
  Effect.map(Random.nextIntBetween(0, values.length - 1), (index) => values[index] ?? values[0])
const text = (values: ReadonlyArray<string>, most: number) =>
  Effect.gen(function*() {
    const length = yield* Random.nextIntBetween(0, most)
    const parts = yield* Effect.all(Array.from({ length }, () => pick(values)))
    return parts.join("")
  })
/** One time in `n`. */
const rarely = (n: number) => Effect.map(Random.nextIntBetween(1, n), (drawn) => drawn === 1)
const line = Effect.flatMap(rarely(20), (hostile) => text(hostile ? fragments : harmless, 6))
const address = Effect.gen(function*() {
  if (yield* rarely(40)) return `b@x.test${yield* text(fragments, 3)}`
  return `u${yield* Random.nextIntBetween(0, 999)}@d${yield* Random.nextIntBetween(0, 99)}.test`
})
const person = Effect.gen(function*() {
  const email = yield* address
  return (yield* rarely(2)) ? email : { email, name: yield* line }
})

const generated = Effect.gen(function*() {
  const override: Record<string, Schema.Json> = {}
  if (yield* rarely(3)) override["cc"] = [yield* person, yield* person]
  if (yield* rarely(3)) override["bcc"] = [yield* address]
  if (yield* rarely(4)) override["from"] = yield* person
  if (yield* rarely(4)) override["reply_to"] = yield* person
  if (yield* rarely(4))
    override["headers"] = { "X-Extra": yield* line, "List-Id": yield* line, References: yield* line }
  if (yield* rarely(8)) {
    override["body"] = { attachments: [{ filename: yield* line, content: yield* text(fragments, 10) }] }
  }
  const parts: Parts = {
    email: yield* address,
    subject: yield* line,
    text: yield* text(fragments, 12),
    html: (yield* rarely(2)) ? "" : yield* text(fragments, 12),
    override
  }
  return parts
})

/** What an address means, by another reading than ours: the URL parser's. */
const meant = (address: string) => {
  const [local = "", domain = ""] = address.replace(/^ +| +$/g, "").split("@")
  return `${local}@${new URL(`http://${domain}`).hostname}`
}

const emailOf = (value: Schema.Json | undefined): ReadonlyArray<string> => {
  if (typeof value === "string") return [meant(value)]
  if (isObject(value)) return emailOf(value["email"])
  return Array.isArray(value) ? value.flatMap((entry: Schema.Json) => emailOf(entry)) : []
}

/** A caller's list may have commas, though not within a quoted name. */
const listed = (value: Schema.Json | undefined): ReadonlyArray<string> => {
  if (typeof value !== "string") return Array.isArray(value) ? value.flatMap(listed) : emailOf(value)
  return (value.match(/(?:"[^"]*"|[^,])+/g) ?? []).filter((member) => member.trim() !== "").flatMap(emailOf)
}

/** What every message has. */
const head = ["from", "to", "message-id", "date", "mime-version", "content-type"]

const check = (parts: Parts, token: string, captured: Captured) => {
  const override = parts.override ?? {}
  const intended = new Set([...emailOf(parts.email), ...listed(override["cc"]), ...listed(override["bcc"])])
  assert.deepStrictEqual(new Set(captured.to), intended, token)
  assert.strictEqual(captured.from, emailOf(override["from"])[0] ?? "news@sender.test", token)

  const { raw } = captured
  assert.notMatch(raw, /(?:^|[^\r])\n|\r(?!\n)|\u0000/, `${token}: a bare CR, LF or NUL`)
  // The strict reader ends at the first dot that stands alone, so one inside would have cut the message short.
  assert.notMatch(raw, /(?:^|\r\n)\.(?:\r\n|$)/, `${token}: an unstuffed dot`)
  const long = raw.split("\r\n").find((line) => line.length > 998)
  assert.isUndefined(long, `${token}: a line too long`)

  const [header = ""] = raw.split("\r\n\r\n", 1)
  assert.match(header, /^[\r\n\t\x20-\x7e]*$/, `${token}: a header beyond ASCII, which needs SMTPUTF8`)
  const names = header.split(/\r\n(?![ \t])/).map((field) => field.slice(0, field.indexOf(":")).toLowerCase())
  const given = { subject: parts.subject, ...Object(override["headers"]) }
  const spoken = Object.entries(given).filter(([, value]) => String(value).trim() !== "").map(([name]) => name)
  const optional = ["cc", "reply-to"].filter((name) => override[name.replace("-", "_")] !== undefined)
  const expected = [...head, ...spoken.map((name) => name.toLowerCase()), ...optional].sort()
  assert.deepStrictEqual(names.filter((name) => name !== "content-transfer-encoding").sort(), expected, token)
}

describe("SMTP on the wire", () => {
  it.live(
    `of ${count} generated messages each has the intended envelope, our headers and one end`,
    () =>
      Effect.gen(function*() {
        const server = yield* start({ extensions: ["PIPELINING", "8BITMIME", "SMTPUTF8"] })
        const provider = yield* vendor(server.port, { messages_per_connection: 10_000 })
        const sent = new Map<string, { readonly parts: Parts; readonly token: string }>()
        yield* Effect.forEach(
          Array.from({ length: count }, (_, index) => `token-${index}`),
          Effect.fnUntraced(function*(token) {
            const parts = yield* generated.pipe(Random.withSeed(token))
            const result = yield* Effect.result(provider.send(delivery({ ...parts, token })))
            if (Result.isSuccess(result)) sent.set(result.success.reference ?? "", { parts, token })
            else assert.oneOf(result.failure._tag, ["ContentRejected", "RecipientRejected"], result.failure.detail)
          }),
          { concurrency: 10, discard: true }
        )
        assert.isAbove(sent.size, count / 2)
        assert.isBelow(sent.size, count)
        assert.strictEqual(server.messages.length, sent.size)
        for (const captured of server.messages) {
          const id = /^Message-ID: (<[^>]*>)\r$/m.exec(captured.raw)?.[1] ?? ""
          const message = sent.get(id)
          if (message === undefined) return assert.fail(`nobody sent ${id}`)
          check(message.parts, message.token, captured)
          sent.delete(id)
        }
      }),
    120_000
  )
})
