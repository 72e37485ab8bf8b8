import { Journal } from "#src/delivery/Journal.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { type Options, started } from "#test/src/delivery/shards/OneReader.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

describe("A message that is not stored yet", () => {
  it.effect("P3: is begun just where nothing of its recipient can be before it", () =>
    Effect.gen(function*() {
      const { before, isBegun, message, offered } = yield* started()
      assert.isFalse(before, "nobody has looked")
      assert.isFalse(isBegun({ dueAt: 1 }))
      assert.isFalse(isBegun({ shard: message.shard + 1 }))
      assert.isTrue(isBegun())
      assert.deepStrictEqual(offered, [message])
      const others: ReadonlyArray<readonly [why: string, different: Partial<Options>]> = [
        ["other nodes accept for its shard", { direct: () => false }],
        ["something of its recipient is in hand", { isIdle: () => false }],
        ["it is in hand itself", { holds: () => true }],
        ["its mailbox is full", { offer: () => false }]
      ]
      for (const [why, different] of others) assert.isFalse((yield* started(different)).isBegun(), why)
    }).pipe(Effect.scoped))

  it.effect("P3: is not begun while the store is looked at, nor after what its mailbox did not take", () =>
    Effect.gen(function*() {
      let isFull = false
      const { isBegun, message, reader, rest, store } = yield* started({ offer: () => !isFull })
      store.closeUnsafe()
      reader.behind()
      yield* rest
      assert.isFalse(isBegun())
      store.openUnsafe()
      yield* rest
      assert.isTrue(isBegun())
      isFull = true
      reader.accept([message])
      isFull = false
      assert.isFalse(isBegun())
      assert.isTrue(isBegun({ recipientKey: "another" }))
    }).pipe(Effect.scoped))

  it.effect("is not begun while its turn holds its share", () =>
    Effect.gen(function*() {
      const { isBegun, message, shares } = yield* started()
      shares.add(LaneShares.turnOf(message), 9)
      assert.isFalse(isBegun())
      shares.remove(LaneShares.turnOf(message), 9)
      assert.isTrue(isBegun())
    }).pipe(Effect.scoped))

  it.effect("a lane is backlogged while more is due than it has room for, and not while all is in hand", () =>
    Effect.gen(function*() {
      const told: Array<boolean> = []
      let complete = true
      const { message, reader, rest, shares } = yield* started({
        backlogged: (is) => void told.push(is),
        journal: yield* Effect.provide(
          Journal,
          Layer.mock(Journal, { due: () => Effect.sync(() => ({ ...Fixture.nothingDue, complete })) })
        )
      })
      const look = Effect.suspend(() => {
        told.length = 0
        reader.behind()
        return Effect.map(rest, () => told.at(-1))
      })
      assert.isFalse(yield* look)
      complete = false
      assert.isTrue(yield* look)
      complete = true
      assert.isFalse(yield* look)
      shares.add(LaneShares.turnOf(message), 6)
      assert.isTrue(yield* look, "nothing is read for a turn that holds more than is free")
      shares.add(LaneShares.turnOf(message), 4)
      assert.isTrue(yield* look)
      shares.remove(LaneShares.turnOf(message), 10)
      assert.isFalse(yield* look)
    }).pipe(Effect.scoped))
})
