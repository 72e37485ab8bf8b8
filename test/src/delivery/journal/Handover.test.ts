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
        yield* handover.room
        yield* handover.offer([Fixture.message(place)])
        yield* handover.stir
        yield* handover.behind(["bulk"])
        return handover.owns(place.shard)
      })
      const before = yield* tell
      const owns = (shard: number) => shard === place.shard
      const connected = yield* Effect.scoped(
        Effect.andThen(
          handover.connect({
            owns,
            room: hear("room"),
            offer,
            stir: hear("stir"),
            behind: ([lane]) => hear(`behind ${lane}`)
          }),
          tell
        )
      )
      assert.deepStrictEqual([before, connected, yield* tell], [false, true, false])
      assert.deepStrictEqual(heard, ["room", "1 message", "stir", "behind bulk"])
    }).pipe(Effect.provide(Handover.layer)))

  it.effect("of several engines each hears of everything, and the process owns what one of them does", () =>
    Effect.gen(function*() {
      const handover = yield* Handover.Handover
      const heard: Array<string> = []
      for (const shard of [1, 2]) {
        const hear = (what: string) => Effect.sync(() => void heard.push(`${shard} ${what}`))
        yield* handover.connect({
          owns: (other) => other === shard,
          room: hear("room"),
          offer: ({ length }) => hear(`${length} message`),
          stir: hear("stir"),
          behind: ([lane]) => hear(`behind ${lane}`)
        })
      }
      yield* handover.room
      yield* handover.offer([Fixture.message(yield* Fixture.world)])
      yield* handover.stir
      yield* handover.behind(["bulk"])
      assert.deepStrictEqual([1, 2, 3].map((shard) => handover.owns(shard)), [true, true, false])
      assert.deepStrictEqual(
        heard,
        ["room", "1 message", "stir", "behind bulk"].flatMap((what) => [`1 ${what}`, `2 ${what}`])
      )
    }).pipe(Effect.provide(Handover.layer)))

  it.effect("acceptance goes at the pace of the steps of transactional messages, and not at that of bulk", () =>
    Effect.gen(function*() {
      const handover = yield* Handover.Handover
      const asks = Effect.gen(function*() {
        const asked = yield* Effect.forkChild(handover.room, { startImmediately: true })
        return asked.pollUnsafe() === undefined ? "waits" : "goes on"
      })
      const steps = Array.from({ length: 400 })
      for (const _ of steps) handover.stepCame("bulk")
      assert.strictEqual(yield* asks, "goes on")
      for (const _ of steps) handover.stepCame("transactional")
      assert.strictEqual(yield* asks, "waits")
      for (const _ of steps) handover.stepLeft("transactional")
      assert.strictEqual(yield* asks, "goes on")
    }).pipe(Effect.provide(Handover.layer)))
})
