import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Together from "#src/delivery/shards/Together.ts"
import * as Tries from "#src/delivery/shards/Tries.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** How often the shard is lost in the middle of a call, before it is left in peace. */
const losses = 9

describe("Take-overs", () => {
  it.effect("P1: a message whose node lost its shard during each of its calls, and lived, is not set aside for that", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      let calls = 0
      const node = yield* cluster.start({
        shards: [place.shard],
        vendors: () => [{
          _tag: "Vendor",
          key: "slow",
          channel: "email",
          reaches: () => true,
          send: () =>
            Effect.suspend(() => {
              calls++
              return Effect.as(Effect.sleep("12 seconds"), { reference: undefined })
            })
        }]
      })
      const other = Context.get(
        yield* Layer.build(Layer.fresh(memory.node.pipe(Layer.provide(Handover.layer)))),
        Journal
      )
      const id = Fixture.id(place.at)
      const recipient = { email: "ada@example.com" }
      yield* node.accept(Fixture.message(place, { id, requestId: id, recipientKey: "ada", recipient }))
      const log = yield* MessageLog
      let lost = 0
      for (let second = 0; second < 3_600; second++) {
        yield* cluster.settle
        if (calls > lost && lost < losses) {
          lost++
          yield* other.take(place.shard, "other", yield* Clock.currentTimeMillis)
        }
        const { error, status } = yield* log.get(place.scope, id)
        if (status === "SENT" || status === "UNDELIVERABLE") {
          assert.deepStrictEqual([status, error, calls], ["SENT", undefined, losses + 1])
          return
        }
        yield* TestClock.adjust("1 second")
      }
      assert.fail("the message is still open after an hour")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("one that makes its node lose the shard each time, before any call, is set aside after twice as many tries", () =>
    Effect.gen(function*() {
      const world = yield* Fixture.world
      let message = { ...Fixture.message(world), recovered: true }
      let runs = 0
      let abandoned = false
      const journal = yield* Effect.provide(
        Journal,
        Layer.mock(Journal, {
          record: ({ tries = 0 }) =>
            Effect.sync(() => {
              message = { ...message, tries }
              return { _tag: "Written", status: "ENQUEUED", provenAtNanos: 0n }
            })
        })
      )
      const guard = Tries.make({
        journal,
        together: yield* Together.make,
        pipeline: {
          run: () =>
            Effect.sync(() => {
              runs++
              return { _tag: "Fenced" }
            }),
          abandon: () =>
            Effect.sync(() => {
              abandoned = true
              return { _tag: "Closed" }
            })
        }
      })
      for (let epoch = 1; epoch < 20; epoch++)
        yield* guard(message, {
          epoch,
          mayBegin: () => true,
          handedOver: Effect.never
        })
      assert.deepStrictEqual([abandoned, runs], [true, 10])
    }))
})
