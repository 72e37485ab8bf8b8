import { Journal } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { started } from "#test/src/delivery/shards/OneReader.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const due = (answer: Journal["Service"]["due"]) =>
  Effect.provide(
    Journal,
    Layer.mock(Journal, { due: answer, take: (shard) => Effect.succeed({ shard, epoch: 1, seq: 0 }) })
  )

describe("The reader of what is due", () => {
  it.effect("sleeps once its shards are gone, also when what it knew of comes due", () =>
    Effect.gen(function*() {
      const { awake, owning, rest } = yield* started({
        journal: yield* due(() => Effect.succeed({ ...Fixture.nothingDue, next: 5_000 }))
      })
      yield* Fiber.interrupt(owning)
      const woken = awake()
      for (let second = 0; second < 150; second++) {
        yield* TestClock.adjust("1 second")
        yield* rest
      }
      assert.isAtMost(awake() - woken, 6)
    }).pipe(Effect.scoped))

  it.effect("P1: that found no room reads on as soon as there is some, whoever had it", () =>
    Effect.gen(function*() {
      let looks = 0
      const { reader, rest, shares } = yield* started({
        journal: yield* due(() => Effect.sync(() => (looks++, Fixture.nothingDue)))
      })
      for (const turn of ["a", "b", "c"]) shares.add(turn, 3)
      shares.add("d", 1)
      const before = looks
      reader.behind()
      yield* rest
      assert.strictEqual(looks, before)
      shares.remove("d", 1)
      reader.freed()
      yield* rest
      assert.strictEqual(looks, before + 1)
    }).pipe(Effect.scoped))

  it.effect("tells whether it can read, so that its node is ready or not", () =>
    Effect.gen(function*() {
      let isAway = false
      const { reader, rest } = yield* started({
        journal: yield* due(() =>
          Effect.suspend(() =>
            isAway ? Effect.fail(new StoreUnavailable({ cause: "away" })) : Effect.succeed(Fixture.nothingDue)
          )
        )
      })
      const told = [reader.isReading()]
      for (const away of [true, false]) {
        isAway = away
        reader.behind()
        yield* rest
        yield* TestClock.adjust("5 seconds")
        yield* rest
        told.push(reader.isReading())
      }
      assert.deepStrictEqual(told, [true, false, true])
    }).pipe(Effect.scoped))
})
