import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"

describe("A delayed message that was read as due, and waits for another of its recipient", () => {
  it.effect("P7: is not begun where the clock is set back meanwhile, until it is due by that", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const { at } = place
      const cluster = yield* EngineNode.make(memory.node)
      const called: Array<string> = []
      const first = Deferred.makeUnsafe<void>()
      const node = yield* cluster.start({
        shards: [place.shard],
        vendors: () => [{
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches: () => true,
          send: ({ messageId }) =>
            Effect.suspend(() =>
              Effect.as(called.push(messageId) === 1 ? Deferred.await(first) : Effect.void, { reference: undefined })
            )
        }]
      })
      const send = Effect.fnUntraced(function*(dueAt: number) {
        const id = Fixture.id(at)
        const recipient = { email: "ada@example.com" }
        yield* node.accept(Fixture.message(place, { id, requestId: id, recipientKey: "ada", recipient, dueAt }))
        yield* cluster.settle
        return id
      })
      const now = yield* send(0)
      const delayed = yield* send(at + 10_000)
      yield* TestClock.setTime(at + 10_000)
      yield* cluster.settle
      yield* TestClock.setTime(at + 1_000)
      yield* Deferred.succeed(first, undefined)
      yield* cluster.settle
      assert.deepStrictEqual(called, [now])
      yield* TestClock.setTime(at + 9_999)
      yield* cluster.settle
      assert.deepStrictEqual(called, [now])
      yield* TestClock.setTime(at + 10_000)
      yield* cluster.settle
      assert.deepStrictEqual(called, [now, delayed])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
