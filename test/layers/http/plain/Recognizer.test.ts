import * as Recognizer from "#layers/http/plain/Recognizer.ts"
import { SendRequest } from "#schemas/api/Send.ts"
import { mutate } from "#test/fuzz/Mutations.ts"
import { message } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const isPlain = Recognizer.of(SendRequest)
const decode = Schema.decodeUnknownSync(SendRequest)

const wired = (value: unknown): Schema.Json => JSON.parse(JSON.stringify(value))

/** Fails if the value is recognized and the schema thinks otherwise of it. */
const agrees = (value: Schema.Json): void => {
  if (isPlain(value)) assert.deepStrictEqual(wired(decode(value)), value)
}

const plain: ReadonlyArray<readonly [what: string, body: unknown]> = [
  ["a user", message()],
  ["an address, with fields of its own", message({ email: "a@example.com", name: "Ada", visits: [1, null, {}] })],
  ["several", message([{ user_id: "a" }, { phone_number: "+15550100", data: { n: 1 } }])],
  ["data", message({ user_id: "a" }, { data: { order: { items: [{ sku: "x" }] } } })],
  [
    "a routing, a delay and tags",
    message({ user_id: "a" }, {
      routing: { method: "all", channels: ["email", "sms"] },
      delay: { duration: 5 },
      metadata: { tags: ["otp"] }
    })
  ],
  ["nulls", message({ user_id: "a", locale: null }, { brand_id: null })],
  ["a template", { message: { to: { user_id: "a" }, template: "welcome" } }],
  ["elements", { message: { to: { user_id: "a" }, content: { version: "2022-01-01", elements: [{ type: "text" }] } } }]
]

const unknown: ReadonlyArray<readonly [what: string, body: unknown]> = [
  ["a key that the schema leaves out", { ...message(), more: 1 }],
  ["one in the message", message({ user_id: "a" }, { unknown: 1 })],
  ["a list for the body", [message()]],
  ["no recipient", { message: { content: {} } }],
  ["an empty id", message({ user_id: "" })],
  ["a NUL in an id", message({ user_id: "\u0000" })],
  ["a long id", message({ user_id: "a".repeat(513) })],
  ["half a character in a list's name", message({ list_id: "\ud800" })],
  ["too long a delay", message({ user_id: "a" }, { delay: { duration: 1e12 } })],
  ["ten tags", message({ user_id: "a" }, { metadata: { tags: Array.from("0123456789") } })],
  [
    "an entry that two kinds of entries could be",
    message({ user_id: "a" }, {
      routing: { method: "single", channels: [{ channel: "email", provider: "smtp" }] }
    })
  ],
  [
    "a hundred and one entries",
    message({ user_id: "a" }, {
      routing: { method: "single", channels: Array.from({ length: 101 }, () => "email") }
    })
  ]
]

describe("Recognizer", () => {
  it.effect.prop(
    "what it recognizes, the schema decodes to the same",
    { send: SendRequest },
    ({ send }) =>
      Effect.gen(function*() {
        const value = wired(send)
        agrees(value)
        for (let n = 0; n < 20; n++) agrees(yield* mutate(value))
      })
  )

  it.effect("the same of sends that it recognizes, with one place changed", () =>
    Effect.gen(function*() {
      for (const [, body] of plain) {
        for (let n = 0; n < 200; n++) agrees(yield* mutate(wired(body)))
      }
    }))

  it.each(plain)("recognizes %s", (_, body) => {
    assert.isTrue(isPlain(wired(body)))
  })

  it("does not recognize a number that is too large to be one", () => {
    const send = (data: string): Schema.Json =>
      JSON.parse(JSON.stringify(message({ user_id: "a" }, { data: "?" })).replace(`"?"`, data))
    assert.isTrue(isPlain(send(`{"n":1e308}`)))
    for (const data of [`{"n":1e999}`, `{"n":[{"a":-1e999}]}`]) assert.isFalse(isPlain(send(data)))
  })

  it.each(unknown)("does not recognize %s", (_, body) => {
    assert.isFalse(isPlain(wired(body)))
  })

  it("leaves to the schema what it has not learned: what is encoded, suspended, or open to several", () => {
    const of = (schema: Schema.Schema<unknown>, value: Schema.Json) => Recognizer.of(schema)(value)
    assert.isFalse(of(Schema.NumberFromString, "1"))
    assert.isFalse(of(Schema.suspend(() => Schema.String), "a"))
    assert.isFalse(of(Schema.Date, "2026-01-01"))
    assert.isFalse(of(Schema.Tuple([Schema.String]), ["a"]))
    const narrow = Schema.Struct({ a: Schema.String })
    const wide = Schema.Struct({ a: Schema.String, b: Schema.optionalKey(Schema.String) })
    assert.isFalse(of(Schema.Union([narrow, wide]), { a: "a", b: "b" }))
    assert.isFalse(of(Schema.Union([Schema.NullOr(narrow), Schema.NullOr(wide)]), { a: "a", b: "b" }))
    assert.isFalse(of(Schema.Union([Schema.Array(narrow), Schema.Array(wide)]), [{ a: "a", b: "b" }]))
    assert.isTrue(of(wide, { a: "a", b: "b" }))
    assert.isFalse(of(wide, { b: "b" }))
  })
})
