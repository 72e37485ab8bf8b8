import { type Due, Journal } from "#src/delivery/Journal.ts"
import * as LaneShares from "#src/delivery/shards/LaneShares.ts"
import * as Owned from "#src/delivery/shards/Owned.ts"
import * as Reader from "#src/delivery/shards/Reader.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"

const unused = Effect.die("nothing but what is due is asked for")

describe("A reader that never comes to the end of what is due", () => {
  it.effect("remembers nobody for good whose mailbox was full once", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const answers = yield* Queue.bounded<Due>(1)
      const journal = Journal.of({
        accept: () => unused,
        record: () => unused,
        observe: () => unused,
        observeAll: () => unused,
        take: (shard) => Effect.succeed({ shard, epoch: 1, seq: 0 }),
        due: () => Queue.take(answers)
      })
      const owned = Owned.make(journal)
      const shares = LaneShares.make(100)
      let asked = 0
      yield* Reader.make({
        journal,
        owned,
        lane: "transactional",
        capacity: 100,
        free: shares.free,
        direct: () => true,
        held: () => [],
        holds: () => false,
        isFull: () => {
          asked++
          return false
        },
        isIdle: () => false,
        turns: shares,
        offer: () => false,
        abandon: () => Effect.void,
        backlogged: () => undefined
      }).pipe(
        Effect.tap((reader) =>
          Effect.forkScoped(owned.own(place.shard, "node", Effect.sync(reader.behind)), { startImmediately: true })
        )
      )
      for (let look = 0; look < 100; look++) {
        const { instructions, recipient, ...message } = Fixture.message(place, { recipientKey: `recipient ${look}` })
        const row = { ...message, recipient: JSON.stringify(recipient), instructions: JSON.stringify(instructions) }
        asked = 0
        yield* Queue.offer(answers, { ...Fixture.nothingDue, rows: [row], complete: false })
        yield* TestClock.adjust(1)
      }
      assert.isAtMost(asked, 1)
    }).pipe(Effect.scoped))
})
