import type { MessageId } from "#schemas/MessageId.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { Ending } from "#src/delivery/pipeline/Journey.ts"
import { Pipeline } from "#src/delivery/Pipeline.ts"
import * as Shards from "#src/delivery/Shards.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Members } from "#src/people/Members.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"

describe("A message that a run of an earlier owner gives back when its node has the shard again", () => {
  it.effect("P3: is not passed by its recipient's next, which a look has found meanwhile", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const stores = yield* Layer.build(memory.node.pipe(Layer.provideMerge(Handover.layer)))
      const journal = Context.get(stores, Journal)
      const answers = Latch.makeUnsafe(true)
      const begun: Array<MessageId> = []
      const first = Deferred.makeUnsafe<Ending>()
      // Its drain waits for what never ends, in a time that no longer passes: nobody waits for it.
      const scope = yield* Scope.make()
      yield* Effect.addFinalizer((exit) => Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true }))
      const engine = yield* Layer.build(Shards.layer.pipe(Layer.provide([
        Layer.mock(Pipeline, {
          run: ({ id }) => begun.push(id) === 1 ? Deferred.await(first) : Effect.never
        }),
        FirstSteps.layer,
        Layer.mock(Members, {}),
        Layer.mock(Jobs, {}),
        Layer.mock(DeviceTokens, {}),
        Layer.mock(Suppressions, {}),
        Layer.succeedContext(Context.add(stores, Journal, {
          ...journal,
          due: (window) => Effect.tap(journal.due(window), () => answers.await)
        }))
      ]))).pipe(Scope.provide(scope))
      const shards = Context.get(engine, Shards.Shards)
      const own = Effect.forkIn(shards.own(place.shard, "node"), scope, { startImmediately: true })
      const pass = TestClock.adjust("20 seconds")
      const send = Effect.gen(function*() {
        const message = Fixture.message(place, { recipientKey: "ada" })
        yield* journal.accept(Fixture.acceptance(place, [message]))
        yield* TestClock.adjust(1)
        return message.id
      })
      const owning = yield* own
      yield* TestClock.adjust(1)
      const older = yield* send
      assert.deepStrictEqual(begun, [older])
      // Its run outlasts the hand-over.
      yield* Effect.forkChild(Fiber.interrupt(owning), { startImmediately: true })
      yield* pass
      yield* send
      Latch.closeUnsafe(answers)
      yield* own
      yield* TestClock.adjust(1)
      yield* Deferred.succeed(first, { _tag: "Waiting", dueAt: 0 })
      yield* TestClock.adjust(1)
      Latch.openUnsafe(answers)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(begun, [older, older])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
