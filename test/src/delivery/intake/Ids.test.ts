import { epochMillis, MessageId } from "#schemas/MessageId.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000_000_000_000 }))
const isId = Schema.is(MessageId)

describe("Ids of messages", () => {
  it.effect.prop(
    "tell the millisecond they were made in, and sort by it",
    { one: Millis, other: Millis },
    ({ one, other }) =>
      Effect.gen(function*() {
        const newId = yield* Ids.generator
        const [first, second] = [yield* newId(one), yield* newId(other)]
        assert.isTrue(isId(first) && isId(second))
        assert.deepStrictEqual([epochMillis(first), epochMillis(second)], [one, other])
        if (one < other) assert.isBelow(first.localeCompare(second), 0)
        assert.isTrue(first.startsWith(Ids.from(one)))
      }).pipe(Effect.provide(NodeCrypto.layer))
  )

  it("a time that no id can tell is before all of them or after", () => {
    assert.strictEqual(Ids.from(-1_000), "1-00000000")
    assert.strictEqual(Ids.from(Infinity), "1-ffffffff")
  })

  it.effect("P1: of a thousand requests of one millisecond, to the same recipients, no two messages share an id", () =>
    Effect.gen(function*() {
      const newId = yield* Ids.generator
      const requests = yield* Effect.forEach(Array.from({ length: 1_000 }), () => newId(1_800_000_000_123))
      const members = requests.flatMap((request) => ["1:user:ada", "1:user:bob"].map((key) => Ids.member(request, key)))
      const numbered = requests.flatMap((request) => [0, 1, 1_000_000].map((place) => Ids.at(request, place)))
      const paged = requests.flatMap((request) =>
        [["ada", "bob"], ["bob", "ada"], ["ada", "bob", "cleo"]].flatMap((keys) =>
          [0, 1].map(Ids.inPage(request, keys))
        )
      )
      assert.isTrue([...members, ...numbered, ...paged].every(isId))
      assert.strictEqual(new Set([...requests, ...members, ...numbered, ...paged]).size, 12_000)
      // And a page that is made again has the same.
      const [request = assert.fail("no request")] = requests
      assert.strictEqual(Ids.member(request, "1:user:ada"), members[0])
      for (const id of [...members, ...numbered, ...paged]) assert.strictEqual(Ids.origin(id), Ids.origin(request))
      const [first, second, last] = numbered
      assert.deepStrictEqual([last, first, second].toSorted(), [first, second, last])
    }).pipe(Effect.provide(NodeCrypto.layer)))
})
