import * as Pace from "#src/delivery/journal/Pace.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

/** How long somebody who asks for room now would wait, in ms, if nothing changes. */
const wait = ({ room }: Pace.Pace) =>
  Effect.gen(function*() {
    const asked = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(Effect.andThen(room, Clock.currentTimeMillis), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    return (yield* Fiber.join(fiber)) - asked
  })

describe("Pace", () => {
  it.effect.prop(
    "there is room as long as no more than enough is left, and else within 100 ms",
    { changes: Schema.Array(Schema.Literals([-3, -2, -1, 1, 2, 3])) },
    ({ changes }) =>
      Effect.gen(function*() {
        const pace = Pace.make(4)
        let total = 0
        for (const change of changes) {
          if (change > 0) pace.add(change)
          else pace.remove(-change)
          total += change
          assert.deepStrictEqual([pace.total(), yield* wait(pace)], [total, total > 4 ? 100 : 0])
        }
      })
  )

  it.effect("who waits goes on when there is room", () =>
    Effect.gen(function*() {
      const pace = Pace.make(4)
      pace.add(6)
      const waiting = yield* Effect.forkChild(Effect.andThen(pace.room, Clock.currentTimeMillis))
      for (const left of [5, 4]) {
        yield* TestClock.adjust("10 millis")
        pace.remove(pace.total() - left)
      }
      assert.strictEqual(yield* Fiber.join(waiting), 20)
    }))
})
