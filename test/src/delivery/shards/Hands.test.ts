import { type Due, Journal } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Reader from "#src/delivery/shards/Reader.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"

const unused = Effect.die("nothing but what is due is asked for")

describe("A look at what is due", () => {
  it.effect("P2, P4: finds nothing in a shard that has changed hands since it was asked, though it be ours again", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const message = Fixture.message(place)
      const looks: Array<Deferred.Deferred<Due>> = []
      const offered: Array<OpenMessage["id"]> = []
      let epoch = 0
      const journal = Journal.of({
        accept: () => unused,
        record: () => unused,
        observe: () => unused,
        observeAll: () => unused,
        take: (shard) => Effect.sync(() => ({ shard, epoch: ++epoch, seq: 100 })),
        due: () =>
          Effect.suspend(() => {
            const answer = Deferred.makeUnsafe<Due>()
            looks.push(answer)
            return Deferred.await(answer)
          })
      })
      const owned = Owned.make(journal)
      const shares = LaneShares.make(100)
      const reader = yield* Reader.make({
        journal,
        owned,
        lane: "transactional",
        capacity: 100,
        free: shares.free,
        direct: () => false,
        held: () => [],
        holds: () => false,
        isFull: () => false,
        isIdle: () => true,
        turns: shares,
        offer: ({ id }) => offered.push(id) > 0,
        abandon: () => Effect.void,
        backlogged: () => undefined
      })
      yield* Effect.forkScoped(owned.own(place.shard, "node", Effect.sync(reader.behind)), { startImmediately: true })
      const answer = (n: number) => {
        const { recipient, instructions } = message
        const row = {
          ...message,
          seq: 1,
          tries: 0,
          attempts: [],
          recovered: false,
          recipient: JSON.stringify(recipient),
          instructions: JSON.stringify(instructions)
        }
        const due: Due = { ...Fixture.nothingDue, rows: [row] }
        const look = looks[n]
        return look === undefined ? Effect.die(`there was no look ${n}`) : Deferred.succeed(look, due)
      }
      yield* TestClock.adjust(1)
      const owner = owned.find(place.shard)
      if (owner !== undefined) yield* owned.lost(owner)
      yield* TestClock.adjust("6 seconds")
      assert.notStrictEqual(owned.find(place.shard), owner)
      yield* answer(0)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(offered, [])
      yield* answer(1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(offered, [message.id])
    }).pipe(Effect.scoped))
})
