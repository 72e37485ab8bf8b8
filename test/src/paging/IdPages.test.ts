import { Id } from "#schemas/Id.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"

const cursors = Cursor.make({ bytes: Redacted.make(new Uint8Array(32).fill(1)) })
const list: Cursor.List = { scope: Scope.make(1), route: "lists", filters: [] }

describe("Pages by id", () => {
  it.effect.prop(
    "ids are in the order of their bytes",
    { a: Id, b: Id },
    ({ a, b }) =>
      Effect.sync(() =>
        assert.strictEqual(Math.sign(Text.compare(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
      )
  )

  it.effect("surrogate pairs come after every other character", () =>
    Effect.sync(() => assert.isBelow(Text.compare("\uffee", "\u{1f600}"), 0)))

  it.effect.each(["a", "\u0001".repeat(512), "é".repeat(512), "\u{1f600}".repeat(256)])(
    "the longest ids fit into a cursor (%#)",
    (id) =>
      Effect.gen(function*() {
        const { cursor } = IdPages.cut(cursors, list, [id, "next"], 1, (row) => row)
        assert.strictEqual(yield* IdPages.after(cursors, list, cursor), id)
      })
  )

  it.effect.prop("walking the pages gives every row once", {
    ids: Schema.Array(Id).check(Schema.isMaxLength(30)),
    limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 }))
  }, ({ ids, limit }) =>
    Effect.gen(function*() {
      const rows = [...new Set(ids)].sort(Text.compare)
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const from = yield* IdPages.after(cursors, list, cursor)
        const left = rows.filter((id) => from === undefined || Text.compare(id, from) > 0)
        const page = IdPages.cut(cursors, list, left.slice(0, limit + 1), limit, (id) => id)
        seen.push(...page.items)
        cursor = page.cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen, rows)
    }))
})
