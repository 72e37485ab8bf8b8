import { Journal } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Reader from "#src/delivery/shards/Reader.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect, Latch, Layer } from "effect"

export type Options = Parameters<typeof Reader.make>[0]

/** A reader that has seen that nothing is due, and whatever is different of it; the store answers while it is open. */
export const started = Effect.fnUntraced(function*(different: Partial<Options> = {}) {
  const place = yield* Fixture.world
  const store = Latch.makeUnsafe(true)
  const journal = yield* Effect.provide(
    Journal,
    Layer.mock(Journal, {
      take: (shard) => Effect.succeed({ shard, epoch: 1, seq: 0 }),
      due: () => Effect.as(store.await, Fixture.nothingDue)
    })
  )
  const owned = Owned.make(journal)
  const owning = yield* Effect.forkScoped(owned.own(place.shard, "node", Effect.void), { startImmediately: true })
  let awake = 0
  const offered: Array<OpenMessage> = []
  const shares = LaneShares.make(10)
  const reader = yield* Reader.make({
    journal,
    owned: { ...owned, window: () => (awake++, owned.window()) },
    lane: "bulk",
    capacity: 10,
    free: shares.free,
    direct: () => true,
    held: () => [],
    holds: () => false,
    isFull: () => false,
    isIdle: () => true,
    turns: shares,
    offer: (message) => {
      offered.push(message)
      return true
    },
    abandon: () => Effect.void,
    backlogged: () => undefined,
    ...different
  })
  const rest = Effect.repeat(Effect.yieldNow, { times: 9 })
  const message = Fixture.message(place, { lane: "bulk", dueAt: 0 })
  const isBegun = (more: Partial<OpenMessage> = {}) => reader.begin({ ...message, ...more })
  const before = isBegun()
  reader.behind()
  yield* rest
  return {
    /** How often it has looked for its shards. */
    awake: () => awake,
    before,
    isBegun,
    message,
    offered,
    owning,
    reader,
    rest,
    shares,
    store
  }
})
