import * as Slots from "#src/delivery/attempts/Slots.ts"
import * as Paging from "#src/delivery/expansion/Paging.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as ListOf from "#test/support/ListOf.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const people = 40

describe("The pages of a request to many", () => {
  it.effect("are stored at once, although their members wait for a provider's connections", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const slots = Slots.make(1, 1)
      const sent = new Set<string>()
      const node = yield* cluster.start({
        shards: [...Array.from({ length: 64 }, (_, shard) => shard), place.shard],
        members: ListOf.people(people),
        vendors: () => [{
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches: () => true,
          slots: () => slots,
          send: ({ messageId }) =>
            Effect.delay(Effect.sync(() => ({ reference: [...sent.add(messageId)].at(-1) })), "1 second")
        }]
      })
      yield* cluster.settle
      yield* TestClock.adjust(1)
      const id = Fixture.id(place.at)
      yield* node.expand({
        id,
        scope: place.scope,
        shard: place.shard,
        keyState: "published",
        recipients: [{ list_id: "all" }],
        instructions: {
          content: { title: "Hello", body: "World" },
          routing: { method: "single", channels: ["email"] }
        }
      })
      const { find } = yield* cluster.expansions
      for (let ms = 0; ms < 20; ms++) {
        yield* cluster.settle
        yield* TestClock.adjust(1)
      }
      const { messages, state } = yield* find(place.scope, id)
      assert.deepStrictEqual([state, messages, sent.size], ["COMPLETED", people, 0])
      for (let second = 0; second < 2 * people; second++) {
        yield* cluster.settle
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(sent.size, people)
    }).pipe(Effect.scoped, Effect.provideService(Paging.PageSize, 10), Effect.provide(memory.shared)))
})
