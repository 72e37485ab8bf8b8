import { alternating } from "#src/delivery/shards/Alternating.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Alternating: the order in which the rows of a look get what room there is", () => {
  it.effect.prop(
    "P3: ready and timed rows come by turns as long as there are both, and each of them in their own order",
    { timed: Schema.Array(Schema.Boolean) },
    ({ timed }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const rows = timed.map((isTimed, n) => ({
          ...Fixture.message(place, { dueAt: isTimed ? n + 1 : 0 }),
          recipient: "{}",
          instructions: "{}"
        }))
        const found = alternating(rows)
        const both = Math.min(...[true, false].map((isTimed) => timed.filter((is) => is === isTimed).length))
        const kinds = found.slice(0, 2 * both).map(({ dueAt }) => dueAt > 0)
        assert.deepStrictEqual(kinds, Array.from({ length: 2 * both }, (_, n) => n % 2 === 1))
        for (const isTimed of [true, false]) {
          const those = (all: typeof found) => all.flatMap(({ dueAt, id }) => dueAt > 0 === isTimed ? [id] : [])
          assert.deepStrictEqual(those(found), those(rows))
        }
      })
  )
})
