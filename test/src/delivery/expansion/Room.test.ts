import { PageSize } from "#src/delivery/expansion/Paging.ts"
import * as Room from "#src/delivery/expansion/Room.ts"
import type { Owner } from "#src/delivery/shards/Owned.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"

const own = new Set(["1:"])

/**
 * Asks for the room of pages, one after the other. The reader answers as this says, by how often it was asked, and the
 * store by the turns of which it was asked.
 */
const asking = (options: {
  readonly openings?: (asked: number) => number | undefined
  readonly isBacklogged?: (turns: ReadonlyArray<string>) => boolean
  readonly drains?: (asked: number) => boolean
} = {}) => {
  const { drains = () => false, isBacklogged = () => false, openings = () => undefined } = options
  const backlog: Array<string> = []
  const asked = { reader: 0, backlog }
  const owner: Owner = {
    shard: 1,
    epoch: 1,
    seq: 0,
    fenced: Deferred.makeUnsafe<void>(),
    running: 1,
    drainsUntil: undefined,
    mayBegin: () => true,
    handedOver: Effect.never,
    draining: Latch.makeUnsafe(),
    idle: Latch.makeUnsafe()
  }
  const room = Room.make({
    expansions: {
      isBacklogged: (_, turns) =>
        Effect.sync(() => {
          backlog.push(turns.join())
          return isBacklogged(turns)
        })
    },
    reader: {
      openings: () => {
        const answer = openings(asked.reader++)
        owner.drainsUntil = drains(asked.reader) ? 0n : undefined
        return answer
      }
    }
  })
  /** What may begin, and after how long that was known. */
  const begun = Effect.gen(function*() {
    const since = yield* Clock.currentTimeMillis
    const waiting = yield* Effect.forkChild(room.openings(owner, own), { startImmediately: true })
    while (waiting.pollUnsafe() === undefined) yield* TestClock.adjust("5 millis")
    return { ...(yield* Fiber.join(waiting)), waited: (yield* Clock.currentTimeMillis) - since }
  })
  return { asked, begun, isRoomy: (...turns: ReadonlyArray<string>) => room.isRoomy(new Set(turns)) }
}

describe("Room for the next page of a request to many", () => {
  it.effect("as many messages as can begin at once are begun, and where none can in a moment, nobody waits", () =>
    Effect.gen(function*() {
      const { asked, begun } = asking({ openings: () => 170 })
      assert.deepStrictEqual(yield* begun, { open: 170, inVain: false, waited: 0 })
      assert.deepStrictEqual(asked, { reader: 1, backlog: [] })
      const { begun: rows } = asking()
      assert.deepStrictEqual(yield* rows, { open: 0, inVain: false, waited: 0 })
    }))

  it.effect("not all that may begin are of one page, or the next would wait for what became of it", () =>
    Effect.gen(function*() {
      const { begun } = asking({ openings: () => 1_020 })
      assert.deepStrictEqual(yield* begun, { open: 340, inVain: false, waited: 0 })
    }))

  it.effect("a few are not begun by themselves: room is waited for, half a second at most", () =>
    Effect.gen(function*() {
      const soon = asking({ openings: (n) => n < 20 ? 169 : 300 })
      assert.deepStrictEqual(yield* soon.begun, { open: 300, inVain: false, waited: 100 })
      const never = asking({ openings: () => 169 })
      assert.deepStrictEqual(yield* never.begun, { open: 0, inVain: true, waited: 500 })
      const small = asking({ openings: () => 10 })
      assert.deepStrictEqual(yield* Effect.provideService(small.begun, PageSize, 10), {
        open: 10,
        inVain: false,
        waited: 0
      })
    }))

  it.effect("an owner who hands its shard over waits for nothing more", () =>
    Effect.gen(function*() {
      const crowded = asking({ openings: () => 1, drains: (n) => n === 4 })
      assert.deepStrictEqual(yield* crowded.begun, { open: 0, inVain: true, waited: 20 })
    }))

  it.effect("the backlog of one turn is no other's, and a page of several has room if they have it together", () =>
    Effect.gen(function*() {
      const { asked, isRoomy } = asking({ isBacklogged: (turns) => turns.includes("1:full") })
      assert.isTrue(yield* isRoomy("1:"))
      assert.isFalse(yield* isRoomy("1:full"))
      assert.isTrue(yield* isRoomy("2:"))
      assert.isFalse(yield* isRoomy("1:", "1:full"))
      assert.isTrue(yield* isRoomy())
      assert.deepStrictEqual(asked.backlog, ["1:", "1:full", "2:", "1:,1:full"])
    }))

  it.effect("a turn's backlog is looked at for every fifth of its pages of rows, and again once it was too long", () =>
    Effect.gen(function*() {
      let isFull = false
      const { asked, isRoomy } = asking({ isBacklogged: () => isFull })
      for (let n = 0; n < 10; n++) {
        assert.isTrue(yield* isRoomy("1:"))
        assert.isTrue(yield* isRoomy("2:"))
      }
      assert.deepStrictEqual(asked.backlog, ["1:", "2:", "1:", "2:"])
      isFull = true
      for (let n = 0; n < 2; n++) assert.isFalse(yield* isRoomy("1:"))
      isFull = false
      for (let n = 0; n < 5; n++) assert.isTrue(yield* isRoomy("1:"))
      assert.deepStrictEqual(asked.backlog.slice(4), ["1:", "1:", "1:"])
    }))
})
