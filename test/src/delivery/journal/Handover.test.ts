import * as Handover from "#src/delivery/journal/Handover.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Handover", () => {
  it.effect("a process without its engine owns nothing, and what it writes waits for its owner", () =>
    Effect.gen(function*() {
      const handover = yield* Handover.Handover
      const place = yield* Fixture.world
      const heard: Array<string> = []
      const hear = (what: string) => Effect.sync(() => void heard.push(what))
      const offer = ({ length }: ReadonlyArray<unknown>) => hear(`${length} message`)
      const tell = Effect.gen(function*() {
        yield* handover.offer([Fixture.message(place)])
        yield* handover.stir
        yield* handover.behind
        return handover.owns(place.shard)
      })
      const before = yield* tell
      const owns = (shard: number) => shard === place.shard
      yield* handover.connect({ owns, offer, stir: hear("stir"), behind: hear("behind") })
      const connected = yield* tell
      yield* handover.connect(undefined)
      assert.deepStrictEqual([before, connected, yield* tell], [false, true, false])
      assert.deepStrictEqual(heard, ["1 message", "stir", "behind"])
    }).pipe(Effect.provide(Handover.layer)))
})
