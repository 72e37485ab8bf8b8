import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Mailboxes from "#src/delivery/Mailboxes.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"

describe("Mailboxes", () => {
  it.effect("P3: what a later owner read waits outside until all that an earlier one read is gone, and is asked for then", () =>
    Effect.gen(function*() {
      const world = yield* Fixture.world
      const call = Latch.makeUnsafe()
      const run: Array<string> = []
      const rooms: Array<string> = []
      let owner = 1
      const mailboxes = yield* Mailboxes.make({
        capacity: 32,
        ownerOf: () => owner,
        onRoom: (lane) => rooms.push(lane),
        run: ({ id }: OpenMessage) =>
          Effect.andThen(
            Effect.sync(() => run.push(id)),
            call.await
          )
      })
      const [first, second, third] = [1, 2, 3].map(() => Fixture.message(world, { recipientKey: "ada" }))
      if (first === undefined || second === undefined || third === undefined) return assert.fail()
      assert.deepStrictEqual([mailboxes.offer(first), mailboxes.offer(second)], [true, true])
      yield* Effect.yieldNow
      owner = 2
      assert.isFalse(mailboxes.offer(third))
      assert.deepStrictEqual([run, rooms], [[first.id], []])
      yield* call.open
      while (mailboxes.active() > 0) yield* Effect.yieldNow
      assert.deepStrictEqual([run, rooms], [[first.id, second.id], ["transactional", "bulk"]])
      assert.isTrue(mailboxes.offer(third))
    }))
})
