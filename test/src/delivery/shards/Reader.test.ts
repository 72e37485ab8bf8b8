import * as Metrics from "#src/reports/Metrics.ts"
import { Happening, idsOf, recipients, world } from "#test/src/delivery/shards/ReaderWorld.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric, Schema } from "effect"
import { TestClock } from "effect/testing"

describe("Reader", () => {
  it.effect.prop(
    "P1, P3: whatever is stored while it looks, each message comes into hand once, in order, and without a sweep",
    {
      capacity: Schema.Literals([6, 40]),
      story: Schema.Array(Happening).check(Schema.isMinLength(20), Schema.isMaxLength(80))
    },
    ({ capacity, story }) =>
      Effect.gen(function*() {
        const { happen, offered, rows, tell } = yield* world(capacity)
        for (const happening of story) yield* happen(happening)
        tell()
        for (let second = 0; second < 20; second++) {
          for (let turn = 0; turn < 4; turn++) {
            for (const ends of recipients) yield* happen({ ends, times: 4 })
            yield* happen({ calms: true })
          }
          yield* TestClock.adjust("1 second")
        }
        const stored = rows.flatMap(({ isBroken, message }) => isBroken === true ? [] : [message])
        assert.sameMembers(offered.map(({ id }) => id), stored.map(({ id }) => id))
        for (const who of recipients) assert.deepStrictEqual(idsOf(who, offered), idsOf(who, stored))
      }).pipe(Effect.scoped)
  )

  it.effect("P3: what arrived during a look does not pass an older one of its recipient whose turn is full", () =>
    Effect.gen(function*() {
      // Messages are in the tenants x and y by turns. With a room of 6, x is full when it holds three and y two.
      const { happen, offered, rows } = yield* world(6)
      const story: ReadonlyArray<typeof Happening.Type> = [
        { calms: true },
        { told: "bob", times: 1 },
        { told: "ada", times: 1 },
        { ends: "ada", times: 1 },
        { told: "bob", times: 2 },
        // The look finds these two, after which x is full, and does not know of the next two.
        { stored: "bob" },
        { stored: "ada" },
        { rests: true },
        { told: "ada", times: 2 },
        { answers: true },
        { rests: true },
        { ends: "bob", times: 4 },
        { calms: true }
      ]
      for (const happening of story) yield* happen(happening)
      assert.deepStrictEqual(idsOf("ada", offered), idsOf("ada", rows.map(({ message }) => message)))
    }).pipe(Effect.scoped))

  it.effect("P3: what arrived during a look that did not see everything is not passed by what comes before the next", () =>
    Effect.gen(function*() {
      const { happen, offered, rows } = yield* world(6)
      const story: ReadonlyArray<typeof Happening.Type> = [
        { calms: true },
        // One more than a look takes of what is timed.
        { later: "bob", times: 4 },
        { calms: true },
        { passes: true },
        { rests: true },
        { told: "ada", times: 1 },
        { answers: true },
        { moves: 1 },
        { told: "ada", times: 1 },
        { calms: true },
        { ends: "bob", times: 4 },
        { calms: true }
      ]
      for (const happening of story) yield* happen(happening)
      assert.deepStrictEqual(idsOf("ada", offered), idsOf("ada", rows.map(({ message }) => message)))
    }).pipe(Effect.scoped))

  it.effect("P1, P3: what a look finds behind a message that fills its turn is not passed, and is read once there is room", () =>
    Effect.gen(function*() {
      const { happen, offered, rows } = yield* world(12)
      const story: ReadonlyArray<typeof Happening.Type> = [
        { calms: true },
        // It has all that its turn may hold, so that ada's first is left, whose second is in the other turn.
        { heavy: "bob" },
        { stored: "bob" },
        { stored: "ada" },
        { stored: "ada" },
        { calms: true },
        { ends: "bob", times: 2 },
        { calms: true }
      ]
      for (const happening of story) yield* happen(happening)
      assert.deepStrictEqual(offered.map(({ id }) => id), rows.map(({ message }) => message.id))
    }).pipe(Effect.scoped))

  it.effect("what arrived during a look that left a full turn out is read at once, and waits for nobody of that turn", () =>
    Effect.gen(function*() {
      const { happen, offered, rows } = yield* world(12)
      const story: ReadonlyArray<typeof Happening.Type> = [
        { calms: true },
        { heavy: "bob" },
        { calms: true },
        { stored: "bob" },
        { broken: "bob" },
        { rests: true },
        { told: "ada", times: 1 },
        { answers: true },
        { calms: true }
      ]
      for (const happening of story) yield* happen(happening)
      assert.deepStrictEqual(idsOf("ada", offered), idsOf("ada", rows.map(({ message }) => message)))
    }).pipe(Effect.scoped))

  it.effect("what is to begin later begins at its time, also if it is stored while the one before it is read", () =>
    Effect.gen(function*() {
      const { happen, offered } = yield* world(40)
      yield* happen({ calms: true })
      yield* happen({ later: "ada", times: 1 })
      yield* happen({ calms: true })
      yield* TestClock.adjust("3 seconds")
      yield* happen({ rests: true })
      yield* happen({ later: "ada", times: 1 })
      yield* happen({ calms: true })
      assert.lengthOf(offered, 1)
      yield* TestClock.adjust("3 seconds")
      yield* happen({ calms: true })
      assert.lengthOf(offered, 2)
    }).pipe(Effect.scoped))

  it.effect("A5: a message is stuck of which nobody told before it is found, unless it was just committed", () =>
    Effect.gen(function*() {
      const stuck = Effect.map(Metric.value(Metrics.stuck), ({ count }) => count)
      const { happen, offered } = yield* world(40)
      const before = yield* stuck
      yield* happen({ calms: true })
      for (const [age, count] of [[2_000, 0], [2_001, 1]] as const) {
        yield* happen({ later: "bob", times: 1 })
        yield* happen({ calms: true })
        yield* TestClock.adjust(3_000 - age)
        yield* happen({ stored: "ada" })
        yield* TestClock.adjust(age)
        yield* happen({ calms: true })
        assert.strictEqual((yield* stuck) - before, count)
      }
      assert.lengthOf(offered, 4)
    }).pipe(Effect.scoped))
})
