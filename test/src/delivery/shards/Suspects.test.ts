import type { MessageId } from "#schemas/MessageId.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

/** Messages whose provider takes so many ms. */
const crowd = 100
const slow = 60_000

describe("Suspects of a crash", () => {
  it.effect("after a death in the middle of a page, a single message does not wait for the slowest call in hand", () =>
    Effect.gen(function*() {
      const world = yield* Fixture.world
      yield* TestClock.setTime(world.at)
      const starts = new Map<string, number>()
      const cluster = yield* EngineNode.make(memory.node)
      let pages = 0
      const born = (shards: ReadonlyArray<number>) =>
        cluster.start({
          shards,
          // The second write is the page of the first try.
          cutPage: () => pages++ === 1 ? "before" : undefined,
          members: {
            page: (_scope, _source, { after }) =>
              Effect.succeed(after === undefined ? [{ group: "all", userId: "user", listId: "all" }] : []),
            exists: () => Effect.succeed(true)
          },
          vendors: () => [{
            _tag: "Vendor",
            key: "slow",
            channel: "email",
            reaches: () => true,
            send: ({ messageId, profile }) =>
              Clock.currentTimeMillis.pipe(
                Effect.map((at) => starts.set(messageId, at)),
                Effect.andThen(String(profile["email"]).startsWith("crowd") ? Effect.sleep(slow) : Effect.void),
                Effect.as({ reference: undefined })
              )
          }]
        })
      const node = yield* born([world.shard])
      yield* cluster.settle
      const id: MessageId = Fixture.id(world.at)
      const to = (name: string) =>
        Fixture.message({ ...world, shard: 1 }, {
          lane: "bulk",
          recipientKey: name,
          recipient: { email: `${name}@example.com` }
        })
      for (let n = 0; n < crowd; n++) yield* node.accept(to(`crowd-${n}`))
      yield* node.expand({
        id,
        scope: world.scope,
        shard: world.shard,
        keyState: "published",
        recipients: [{ list_id: "all" }],
        instructions: { content: { title: "Hello", body: "World" } }
      })
      yield* cluster.settle
      assert.isTrue(node.isDead())

      const next = yield* born([...Array.from({ length: 64 }, (_, shard) => shard), world.shard])
      yield* cluster.settle
      const single = to("single")
      yield* next.accept(single)
      yield* cluster.settle
      yield* TestClock.adjust(1_000)
      yield* cluster.settle
      assert.isBelow((starts.get(single.id) ?? Infinity) - world.at, 1_000)
      assert.strictEqual((yield* (yield* cluster.expansions).find(world.scope, id)).state, "COMPLETED")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
