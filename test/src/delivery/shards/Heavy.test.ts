import { memory } from "#test/crash/EngineStores.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** How long a provider takes for a message, in ms. */
const slow = 10_000

/** The most that were in hand at once of so many messages of one tenant that say so many characters each. */
const inHand = Effect.fnUntraced(function*(crowd: number, length: number) {
  const place = yield* EngineNode.place
  const seen = { calls: 0, open: 0, most: 0 }
  const cluster = yield* EngineNode.make(memory.node)
  const node = yield* cluster.start({
    shards: [place.shard],
    vendors: () => [{
      _tag: "Vendor",
      key: "slow",
      channel: "email",
      reaches: () => true,
      send: () =>
        Effect.suspend(() => {
          seen.calls++
          seen.most = Math.max(seen.most, ++seen.open)
          return Effect.as(Effect.sleep(slow), { reference: undefined })
        }).pipe(Effect.ensuring(Effect.sync(() => seen.open--)))
    }]
  })
  yield* cluster.settle
  yield* Effect.forEach(Array.from({ length: crowd }), (_, n) =>
    node.accept(
      Fixture.message(place, {
        lane: "bulk",
        recipientKey: `crowd-${n}`,
        recipient: { email: `crowd-${n}` },
        instructions: { content: { title: "t", body: "b" }, data: { said: "x".repeat(length) } },
        size: length
      })
    ))
  for (let turns = 0; turns < 400 && seen.calls < crowd; turns++) {
    yield* cluster.settle
    yield* TestClock.adjust(slow / 4)
  }
  assert.strictEqual(seen.calls, crowd, "everybody gets a turn, without a sweep")
  return seen.most
})

describe("What a node has in hand", () => {
  it.effect(
    "is bounded by what the messages say: of those that say much there are fewer at once, and all are sent",
    () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* inHand(600, 100), 600)
        assert.strictEqual(yield* inHand(200, 100_000), 200, "many to whom one request says the same")
        const heavy = yield* inHand(200, 200_000)
        assert.isAtLeast(heavy, 40)
        assert.isAtMost(heavy, 120)
      }).pipe(Effect.scoped, Effect.provide(memory.shared)),
    60_000
  )
})
