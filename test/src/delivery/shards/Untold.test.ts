import type { MessageId } from "#schemas/MessageId.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Pipeline } from "#src/delivery/Pipeline.ts"
import * as Shards from "#src/delivery/Shards.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Members } from "#src/people/Members.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Another node's journal: what it accepts, it could tell nobody of before it died. */
const other = Effect.map(
  Layer.build(Layer.fresh(memory.node.pipe(Layer.provide(Handover.layer)))),
  Context.get(Journal)
)

describe("What a node accepted for another's shard and could not tell before it died", () => {
  it.effect("P1: is read once somebody takes one of its shards, and within a minute by itself", () =>
    Effect.gen(function*() {
      const [mine, its] = [yield* Fixture.world, yield* Fixture.world]
      const begun: Array<MessageId> = []
      const engine = yield* Layer.build(Shards.layer.pipe(Layer.provide([
        Layer.mock(Pipeline, {
          run: ({ id }) =>
            Effect.sync(() => {
              begun.push(id)
              return { _tag: "Closed" }
            })
        }),
        FirstSteps.layer,
        Layer.mock(Members, {}),
        Layer.mock(Jobs, {}),
        Layer.mock(DeviceTokens, {}),
        Layer.mock(Suppressions, {}),
        memory.node.pipe(Layer.provideMerge(Handover.layer))
      ])))
      const shards = Context.get(engine, Shards.Shards)
      const own = (shard: number) => Effect.forkScoped(shards.own(shard, "node"), { startImmediately: true })
      const { accept } = yield* other
      const send = (at: Fixture.World) => {
        const message = Fixture.message(at)
        return Effect.as(accept(Fixture.acceptance(at, [message])), message.id)
      }
      yield* own(mine.shard)
      yield* TestClock.adjust("20 seconds")
      const first = yield* send(mine)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(begun, [])
      yield* own(its.shard)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(begun, [first])
      yield* TestClock.adjust("20 seconds")
      const second = yield* send(mine)
      yield* TestClock.adjust("1 minute")
      assert.include(begun, second)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
