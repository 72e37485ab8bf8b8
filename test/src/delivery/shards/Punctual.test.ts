import { Unavailable } from "#schemas/DeliveryError.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Nodes with a provider, and when in ms each call of their messages began. */
const world = Effect.fnUntraced(function*(
  answer: (attempt: number) => Effect.Effect<void, Unavailable>,
  stores: typeof memory.node = memory.node
) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(stores)
  const calls: Array<number> = []
  const start = (shards: ReadonlyArray<number>) =>
    cluster.start({
      shards,
      vendors: () => [{
        _tag: "Vendor",
        key: "vendor",
        channel: "email",
        reaches: () => true,
        send: ({ attempt }) =>
          Clock.currentTimeMillis.pipe(
            Effect.map((at) => calls.push(at - place.at)),
            Effect.andThen(answer(attempt)),
            Effect.as({ reference: undefined })
          )
      }]
    })
  const message = (name: string) => Fixture.message(place, { recipientKey: name, recipient: { email: name } })
  return { calls, cluster, message, place, start }
})

describe("Without a sweep", () => {
  it.effect("what waits is tried again when its time has come", () =>
    Effect.gen(function*() {
      const { calls, cluster, message, place, start } = yield* world((attempt) =>
        attempt < 5 ? Effect.fail(new Unavailable({ detail: "away" })) : Effect.void
      )
      const node = yield* start([place.shard])
      yield* cluster.settle
      yield* node.accept(message("ada"))
      yield* cluster.settle
      const due: Array<number> = [0]
      for (let turn = 0; turn < 4; turn++) {
        const { next = 0 } = yield* cluster.due([place.shard])
        due.push(next - place.at)
        yield* TestClock.setTime(next)
        yield* cluster.settle
      }
      assert.deepStrictEqual(calls, due)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("messages to one recipient, more than its mailbox holds, follow each other without a pause", () =>
    Effect.gen(function*() {
      const { calls, cluster, message, place, start } = yield* world(() => Effect.sleep(100))
      const node = yield* start([place.shard])
      yield* cluster.settle
      const messages = Array.from({ length: 200 }, (_, n) => n)
      for (const _ of messages) yield* node.accept(message("ada"))
      for (const _ of messages) {
        yield* cluster.settle
        yield* TestClock.adjust(100)
      }
      assert.deepStrictEqual(calls, messages.map((n) => 100 * n))
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("all that was stored before its owner came begins, however much it is", () =>
    Effect.gen(function*() {
      const { calls, cluster, message, place, start } = yield* world(() => Effect.sleep(600_000))
      const door = yield* start([])
      for (let n = 0; n < 2_000; n++) yield* door.accept(message(`crowd-${n}`))
      yield* start([place.shard])
      yield* cluster.settle
      yield* TestClock.adjust(1_000)
      yield* cluster.settle
      assert.lengthOf(calls, 2_000)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("what a look finds before its acceptance is heard of takes its room once", () =>
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const late = Layer.effect(
        Handover,
        Effect.map(Handover, (handover) => ({
          ...handover,
          offer: (messages: ReadonlyArray<OpenMessage>) =>
            Effect.asVoid(Effect.forkIn(Effect.delay(handover.offer(messages), 100), scope))
        }))
      )
      const stores = Layer.provide(memory.node, late)
      const { calls, cluster, message, place, start } = yield* world(() => Effect.sleep(200), stores)
      const node = yield* start([place.shard])
      yield* cluster.settle
      for (let n = 0; n < 30; n++) {
        for (let m = 0; m < 50; m++) yield* node.accept({ ...message(`${n}-${m}`), lane: "bulk" })
        yield* node.wake
        for (let turn = 0; turn < 3; turn++) {
          yield* cluster.settle
          yield* TestClock.adjust(100)
        }
      }
      assert.lengthOf(calls, 1_500)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})

describe("With the sweep alone", () => {
  it.effect.prop("what another node accepted untold is called when it is due, if that is two minutes away", {
    delays: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 120_001, maximum: 600_000 })))
  }, ({ delays }) =>
    Effect.gen(function*() {
      const { calls, cluster, message, place, start } = yield* world(() => Effect.void)
      const door = yield* start([])
      yield* start([place.shard])
      yield* cluster.settle
      yield* TestClock.adjust(30_000)
      const now = yield* Clock.currentTimeMillis
      const due = delays.map((delay) => now + delay).toSorted((a, b) => a - b)
      for (const [n, dueAt] of due.entries()) yield* door.accept({ ...message(`${n}`), dueAt })
      for (const at of [1, 2, 3].map((minute) => now + minute * 30_000)) {
        yield* TestClock.setTime(at)
        yield* cluster.settle
      }
      for (const at of due) {
        yield* TestClock.setTime(at)
        yield* cluster.settle
      }
      assert.deepStrictEqual(calls, due.map((at) => at - place.at))
    }).pipe(Effect.scoped, Effect.provide(memory.shared)), { arbitrary: { runs: 20 } })
})
