import { Scope } from "#schemas/Scope.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"

const cursors = Cursor.make({ bytes: Redacted.make(new Uint8Array(32).fill(1)) })
const others = Cursor.make({ bytes: Redacted.make(new Uint8Array(32).fill(2)) })
const list: Cursor.List = { scope: Scope.make(1), route: "messages", filters: ["a", ["b"], null] }
const at = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))
const position = Cursor.Position.mapFields(({ id }) => ({ at, id }))

const refused = (cursor: string, of: Cursor.List = list, by = cursors) =>
  Effect.map(Effect.flip(by.open(of, cursor)), (error) => assert.strictEqual(error._tag, "InvalidCursor"))

describe("Cursor", () => {
  it.effect.prop(
    "any position comes back from its own list",
    { position },
    ({ position }) =>
      Effect.map(
        cursors.open(list, cursors.seal(list, position)),
        (opened) => assert.deepStrictEqual(opened, position)
      )
  )

  it.effect.prop("P10: no other scope, route, filter or key opens it", { position }, ({ position }) => {
    const cursor = cursors.seal(list, position)
    return Effect.all([
      refused(cursor, { ...list, scope: Scope.make(2) }),
      refused(cursor, { ...list, route: "inbox" }),
      refused(cursor, { ...list, filters: ["a", ["b", null]] }),
      refused(cursor, { ...list, filters: ["a,b", null] }),
      refused(cursor, list, others)
    ])
  })

  it.effect.prop("any one bit changed refuses it", {
    position,
    bit: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 499 }))
  }, (
    { bit, position }
  ) => {
    const bytes = Buffer.from(cursors.seal(list, position), "base64url")
    const index = bit % (bytes.length * 8)
    bytes.writeUInt8(bytes.readUInt8(index >> 3) ^ (1 << (index & 7)), index >> 3)
    return refused(bytes.toString("base64url"))
  })

  it.effect("only its one spelling opens: what a decoder of base64url skips is no part of it", () => {
    const cursor = cursors.seal(list, { at: 1, id: "a" })
    return Effect.forEach(
      [`${cursor}=`, ` ${cursor}`, `${cursor}\n`, `${cursor.slice(0, 4)}*${cursor.slice(4)}`],
      (text) => refused(text)
    )
  })

  it.effect.prop(
    "text that is no cursor is refused, never a fault",
    { text: Schema.String },
    ({ text }) => refused(text)
  )
})
