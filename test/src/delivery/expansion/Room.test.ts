import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { PageSize } from "#src/delivery/expansion/Paging.ts"
import * as Room from "#src/delivery/expansion/Room.ts"
import type { Owner } from "#src/delivery/shards/Owned.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"

const turns = new Set(["1:"])

/**
 * Asks for the room of pages, one after the other. The reader and the backlog answer as these say, by how often they
 * were asked; each page is told with the time that it waited.
 */
const asking = Effect.fnUntraced(function*(options: {
  readonly openings?: (asked: number) => number | undefined
  readonly isBacklogged?: (asked: number) => boolean
  readonly drains?: (asked: number) => boolean
}) {
  const { drains = () => false, isBacklogged = () => false, openings = () => undefined } = options
  const asked = { reader: 0, backlog: 0 }
  const owner: Owner = {
    shard: 1,
    epoch: 1,
    seq: 0,
    fenced: Deferred.makeUnsafe<void>(),
    running: 1,
    drainsUntil: undefined,
    mayBegin: () => true,
    idle: Latch.makeUnsafe()
  }
  const drain = () => {
    owner.drainsUntil = drains(asked.reader + asked.backlog) ? 0n : undefined
  }
  const expansions = yield* Expansions
  const room = Room.make({
    expansions: {
      ...expansions,
      isBacklogged: () =>
        Effect.sync(() => {
          const answer = isBacklogged(asked.backlog++)
          drain()
          return answer
        })
    },
    reader: {
      openings: () => {
        const answer = openings(asked.reader++)
        drain()
        return answer
      }
    }
  })
  const page = Effect.gen(function*() {
    const since = yield* Clock.currentTimeMillis
    const waiting = yield* Effect.forkChild(room(owner, turns), { startImmediately: true })
    while (waiting.pollUnsafe() === undefined) yield* TestClock.adjust("5 millis")
    return { ...(yield* Fiber.join(waiting)), waited: (yield* Clock.currentTimeMillis) - since }
  })
  return { asked, page }
})

layer(Layer.mock(Expansions, {}))("Room for the next page of a request to many", (it) => {
  it.effect("as many messages as can begin at once are begun, without a look at the backlog", () =>
    Effect.gen(function*() {
      const { asked, page } = yield* asking({ openings: () => 170, isBacklogged: () => true })
      for (let n = 0; n < 10; n++) assert.deepStrictEqual(yield* page, { open: 170, isRoomy: true, waited: 0 })
      assert.deepStrictEqual(asked, { reader: 10, backlog: 0 })
    }))

  it.effect("a few are not begun by themselves: room is waited for, half a second at most", () =>
    Effect.gen(function*() {
      const soon = yield* asking({ openings: (n) => n < 20 ? 169 : 500 })
      assert.deepStrictEqual(yield* soon.page, { open: 500, isRoomy: true, waited: 100 })
      const never = yield* asking({ openings: () => 169 })
      assert.deepStrictEqual(yield* never.page, { open: 0, isRoomy: true, waited: 500 })
      assert.strictEqual(never.asked.backlog, 1)
      const small = yield* asking({ openings: () => 10 })
      assert.deepStrictEqual(yield* Effect.provideService(small.page, PageSize, 10), {
        open: 10,
        isRoomy: true,
        waited: 0
      })
    }))

  it.effect("pages of rows wait while bulk is backlogged, 5 s at most: somebody's backlog does not stop everybody", () =>
    Effect.gen(function*() {
      const soon = yield* asking({ isBacklogged: (n) => n < 10 })
      assert.deepStrictEqual(yield* soon.page, { open: 0, isRoomy: false, waited: 2_000 })
      const never = yield* asking({ isBacklogged: () => true })
      for (let n = 0; n < 3; n++) assert.deepStrictEqual(yield* never.page, { open: 0, isRoomy: false, waited: 5_000 })
    }))

  it.effect("the backlog is looked at for every fifth page of rows, and again once it was found too long", () =>
    Effect.gen(function*() {
      const { asked, page } = yield* asking({ isBacklogged: (n) => n === 2 })
      for (let n = 0; n < 10; n++) assert.deepStrictEqual(yield* page, { open: 0, isRoomy: true, waited: 0 })
      assert.strictEqual(asked.backlog, 2)
      assert.deepStrictEqual(yield* page, { open: 0, isRoomy: false, waited: 200 })
      for (let n = 0; n < 4; n++) assert.isTrue((yield* page).isRoomy)
      assert.strictEqual(asked.backlog, 4)
    }))

  it.effect("an owner who hands its shard over waits for nothing more", () =>
    Effect.gen(function*() {
      const crowded = yield* asking({ openings: () => 1, drains: (n) => n === 3 })
      assert.deepStrictEqual(yield* crowded.page, { open: 0, isRoomy: false, waited: 15 })
      const backlogged = yield* asking({ isBacklogged: () => true, drains: (n) => n === 4 })
      assert.deepStrictEqual(yield* backlogged.page, { open: 0, isRoomy: false, waited: 600 })
    }))
})
