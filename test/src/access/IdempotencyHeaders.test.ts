import { parse } from "#src/access/IdempotencyHeaders.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const now = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const shortest = now + 25 * hour
const longest = now + 365 * 24 * hour
const wanted = now + 100 * hour

const expirations: ReadonlyArray<readonly [string | undefined, number]> = [
  [undefined, shortest],
  [new Date(wanted).toISOString(), wanted],
  ["2026-01-05T04:00:00Z", wanted],
  ["2026-01-05T06:00:00+02:00", wanted],
  ["2026-01-05", Math.max(shortest, Date.UTC(2026, 0, 5))],
  [String(wanted), wanted],
  [String(wanted / 1000), wanted],
  ["2020-01-01T00:00:00Z", shortest],
  ["100000000", shortest],
  ["2099-01-01T00:00:00Z", longest],
  ["9999999999999", longest]
]

const refused = [
  "",
  "soon",
  "tomorrow",
  "5",
  "12345678",
  "123456789012",
  "-1785312000",
  "1e12",
  "0x10",
  "1785312000.5",
  "2026-13-01",
  "Jan 5 2026"
]

const isKey = (text: string) => Effect.isSuccess(parse(text, undefined, now))

describe("IdempotencyHeaders", () => {
  it.effect.each(expirations)(
    "an expiration of %s is held from 25 hours to a year",
    ([text, expiresAt]) =>
      Effect.map(parse("key", text, now), (header) => assert.deepStrictEqual(header, { value: "key", expiresAt }))
  )

  it.effect.each(refused)(
    "an expiration of \"%s\" is refused",
    (text) =>
      Effect.map(
        Effect.flip(parse("key", text, now)),
        ({ detail }) => assert.strictEqual(detail, "Expiration is not a valid date")
      )
  )

  it.effect.prop(
    "every time that is not refused is within bounds",
    { text: Schema.String },
    ({ text }) =>
      Effect.map(Effect.option(parse("key", text, now)), (header) =>
        assert.isTrue(
          header._tag === "None" || (header.value.expiresAt >= shortest && header.value.expiresAt <= longest)
        ))
  )

  it.effect.prop(
    "a key is 1 to 255 printable ASCII characters, with spaces only inside it",
    { text: Schema.String },
    ({ text }) =>
      Effect.map(isKey(text), (taken) =>
        assert.strictEqual(
          taken,
          text.length >= 1 && text.length <= 255 && [...text].every((char) => char >= " " && char < "\u007f")
            && text.trim() === text && !text.includes(", ")
        ))
  )

  it.effect.each(["order 1042", "a  b", "a ,b", "a,b", ",", `a${" ".repeat(253)}b`])(
    "\"%s\" is a key",
    (text) => Effect.map(isKey(text), assert.isTrue)
  )

  it.effect.each(["", " ", " a", "a ", "a\tb", "a\nb", "a\n", "ä", "\u007f", `a${" ".repeat(254)}b`])(
    "\"%s\" is no key",
    (text) => Effect.map(isKey(text), assert.isFalse)
  )

  it.effect.each(["a, b", "order 1, order 2", "a, ", ", a"])(
    "two headers, which the server joins as \"%s\", are no key",
    (text) => Effect.map(isKey(text), assert.isFalse)
  )
})
