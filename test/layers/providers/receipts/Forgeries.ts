import { type Callback, type CallbackReader, Forged, type Told } from "#src/reports/Callbacks.ts"
import { assert } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { TestClock } from "effect/testing"

/** A callback as its vendor sends it, at the time at which it is genuine. */
export interface Genuine {
  readonly reader: CallbackReader
  readonly settings: Schema.JsonObject
  readonly callback: Callback
  /** Epoch ms. */
  readonly now: number
}

export const callback = (more: Partial<Omit<Callback, "body">> & { readonly body?: string } = {}): Callback => ({
  urls: ["https://tidings.example/callbacks/pc_1"],
  query: new URLSearchParams(),
  headers: {},
  ...more,
  body: new TextEncoder().encode(more.body ?? "")
})

/** What the reader makes of it, or `undefined` where it is refused. */
export const told = Effect.fnUntraced(function*({ callback, now, reader, settings }: Genuine) {
  yield* TestClock.setTime(now)
  return yield* reader.read(callback, settings).pipe(
    Effect.map((told): Told | undefined => told),
    Effect.catchTag("Forged", (error) => {
      assert.instanceOf(error, Forged)
      return Effect.succeed(undefined)
    })
  )
})

/** The receipts alone. */
export const read = (genuine: Genuine) => Effect.map(told(genuine), (found) => found?.receipts)

/** The text with one character changed, at each place. */
export const flipped = (text: string): ReadonlyArray<string> =>
  Array.from(
    text,
    (char, index) => text.slice(0, index) + String.fromCharCode(char.charCodeAt(0) ^ 1) + text.slice(index + 1)
  )

/** Values of a header that a verifier may stumble over instead of refusing them. */
const mangled = (value: string): ReadonlyArray<string | undefined> => [
  undefined,
  "",
  " ",
  "=",
  "\u0000",
  "é𝔘".repeat(20),
  value.slice(0, -1),
  value.slice(1),
  value.slice(0, value.length / 2),
  `${value}=`,
  `${value} `,
  value + value,
  "A".repeat(100_000),
  Buffer.from("0", "latin1").toString("base64"),
  Buffer.alloc(72).toString("base64")
]

/** Every header changed at each place, missing, cut, longer and of other letters. */
export const headers = ({ callback: original }: Genuine): ReadonlyArray<Callback> =>
  Object.entries(original.headers).flatMap(([name, value = ""]) =>
    [...flipped(value), ...mangled(value)].map((changed): Callback => ({
      ...original,
      headers: { ...original.headers, [name]: changed }
    }))
  )

/** The body changed at each byte, cut at either end, longer, and empty. */
export const bodies = ({ callback: original }: Genuine): ReadonlyArray<Callback> => {
  const { body } = original
  const changed = Array.from(body, (byte, index) => body.with(index, byte ^ 1))
  return [...changed, body.slice(1), body.slice(0, -1), new Uint8Array([...body, 32]), new Uint8Array(0)]
    .map((body): Callback => ({ ...original, body }))
}

/** Asserts that each of them is refused, or says exactly what the original says. */
export const refuses = Effect.fnUntraced(function*(
  genuine: Genuine,
  forgeries: ReadonlyArray<Callback>,
  harmless = 0
) {
  const original = yield* told(genuine)
  assert.isDefined(original)
  let passed = 0
  for (const forgery of forgeries) {
    const found = yield* told({ ...genuine, callback: forgery })
    if (found === undefined) continue
    passed++
    assert.deepStrictEqual(found, original)
  }
  assert.isAtMost(passed, harmless)
})
