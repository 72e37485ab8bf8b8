import { Journal } from "#src/delivery/Journal.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Lane, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { few, fanOut } from "#test/contracts/JournalAccept.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

/** What a commit hands over to the engine of its process. */
export const handovers = (it: Vitest.MethodsNonLive<Journal | Handover>) => {
  it.effect("owned messages are handed over once, in order, timed ones too, before the caller hears of the commit", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const elsewhere = yield* Fixture.world
      const journal = yield* Journal
      const handover = yield* Handover
      const offered: Array<OpenMessage> = []
      const owns = (shard: number) => shard === place.shard
      yield* handover.connect({
        owns,
        room: Effect.void,
        offer: (messages) => Effect.sync(() => offered.push(...messages)),
        stir: Effect.void,
        behind: () => Effect.void
      })
      const key = Fixture.key(place)
      const first = [Fixture.message(place), Fixture.message(place, { dueAt: place.at + 60_000, status: "DELAYED" })]
      yield* journal.accept(Fixture.acceptance(place, first, { key }))
      assert.deepStrictEqual(offered.map((message) => message.id), first.map((message) => message.id))
      yield* journal.accept(Fixture.acceptance(place, [Fixture.message(place)], { key }))
      yield* Effect.exit(journal.accept(Fixture.acceptance(place, [Fixture.message(place, { event: "\u0000" })])))
      yield* Fixture.accepted(elsewhere)
      const second = yield* Fixture.accepted(place)
      const mine = offered.filter((message) => owns(message.shard)).map((message) => message.id)
      assert.deepStrictEqual(mine, [...first, second].map((message) => message.id))
    }))

  it.effect.prop(
    "P3: calls made one after the other are handed over in that order",
    { count: fanOut },
    ({ count }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const handover = yield* Handover
        const offered: Array<string> = []
        yield* handover.connect({
          owns: (shard) => shard === place.shard,
          room: Effect.void,
          offer: (messages) => Effect.sync(() => offered.push(...messages.map((message) => message.id))),
          stir: Effect.void,
          behind: () => Effect.void
        })
        const sent = yield* Effect.forEach(Array.from({ length: count }), () => Fixture.accepted(place))
        assert.deepStrictEqual(offered, sent.map((message) => message.id))
      }).pipe(Effect.scoped),
    few
  )

  it.effect("P3: the engine hears of a replay before its caller does, since it may have missed the first call's commit", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const handover = yield* Handover
      const heard: Array<string> = []
      yield* handover.connect({
        owns: (shard) => shard === place.shard,
        room: Effect.void,
        offer: () => Effect.void,
        stir: Effect.void,
        behind: (lanes) => Effect.sync(() => void heard.push(...lanes))
      })
      const key = Fixture.key(place)
      const accept = Effect.suspend(() => journal.accept(Fixture.acceptance(place, [Fixture.message(place)], { key })))
      assert.deepStrictEqual([(yield* accept).replayed, heard], [false, []])
      assert.deepStrictEqual([(yield* accept).replayed, heard], [true, Lane.literals])
    }))
}
