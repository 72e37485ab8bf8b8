import type { Journal } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

/** Messages that are read together. */
export const snapshots = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect("P10: several at once are as each by itself, with its calls; of what is not there, nothing", () =>
    Effect.gen(function*() {
      const { epoch, journal, message, place } = yield* Fixture.owned
      const log = yield* MessageLog
      const other = yield* Fixture.accepted(place)
      const strange = yield* Fixture.accepted(yield* Fixture.world)
      for (const state of ["intent", "accepted"] as const) {
        yield* journal.record(Fixture.step(message, epoch, { attempt: Fixture.attempt(1, state) }))
      }
      const { snapshots, unreadable } = yield* log.snapshots(place.scope, [other.id, strange.id, message.id])
      const wanted = yield* Effect.forEach(
        [message.id, other.id],
        (id) => Effect.all({ record: log.get(place.scope, id), attempts: log.attempts(place.scope, id) })
      )
      assert.sameDeepMembers([...snapshots], wanted)
      assert.deepStrictEqual(unreadable, [])
      assert.deepStrictEqual(yield* log.snapshots(place.scope, []), { snapshots: [], unreadable: [] })
    }))
}
