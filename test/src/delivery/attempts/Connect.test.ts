import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Fiber, Latch, Scheduler } from "effect"
import { TestClock } from "effect/testing"

const second = 1_000
const staying = { handedOver: Effect.never, left: Effect.void }

describe("Slots", () => {
  it.effect("P4: who waits for a connection that others have does so no longer than its shard is its node's", () =>
    Effect.gen(function*() {
      const slots = Slots.make(1, 2)
      const made: Array<string> = []
      const handedOver = Latch.makeUnsafe()
      const call = (name: string) =>
        Effect.forkChild(
          Slots.connect(slots, Effect.andThen(Effect.sync(() => void made.push(name)), Effect.sleep("1 minute")), {
            handedOver: name === "given up" ? handedOver.await : Effect.never,
            left: Effect.sync(() => void made.push(`${name} is not made`))
          }),
          { startImmediately: true }
        )
      yield* call("first")
      yield* call("given up")
      yield* call("next")
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(made, ["first"])
      yield* handedOver.open
      yield* Effect.yieldNow
      assert.deepStrictEqual(made, ["first", "given up is not made"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(made, ["first", "given up is not made", "next"])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* slots.connections.available, 1)
    }))

  it.effect("a call does not pass those that waited for a connection before it, though one become free as it comes", () =>
    Effect.gen(function*() {
      const slots = Slots.make(1, 3)
      const made: Array<string> = []
      const call = (name: string) =>
        Slots.connect(slots, Effect.andThen(Effect.sync(() => void made.push(name)), Effect.sleep(second)), staying)
      yield* Effect.forkChild(Effect.andThen(call("first"), call("third")), { startImmediately: true })
      yield* Effect.forkChild(call("second"), { startImmediately: true })
      yield* TestClock.adjust(3 * second)
      assert.deepStrictEqual(made, ["first", "second", "third"])
    }))

  it.effect("whoever is interrupted, where ever that is, leaves its slots to the others", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const slots = Slots.make(2, 1)
      const waiting = (lane: NewMessage["lane"]) =>
        Slots.begin(slots, Fixture.message(place, { lane }), {
          begin: () => Slots.connect(slots, Effect.sleep(second), staying),
          waits: Effect.void,
          late: Effect.void,
          ...staying
        })
      for (let steps = 0; steps < 30; steps++) {
        const fibers = yield* Effect.forEach(
          ["bulk", "bulk", "transactional", "bulk", "transactional"] as const,
          (lane) => Effect.forkChild(Effect.provideService(waiting(lane), Scheduler.MaxOpsBeforeYield, 3))
        )
        yield* Effect.forEach(Array.range(0, steps), () => Effect.yieldNow)
        if (steps % 3 === 0) yield* TestClock.adjust(second)
        yield* Effect.forEach(fibers, Fiber.interrupt)
        assert.strictEqual(yield* slots.begun.available, 3, `after ${steps} steps`)
        assert.strictEqual(yield* slots.connections.available, 2, `after ${steps} steps`)
      }
    }))
})
