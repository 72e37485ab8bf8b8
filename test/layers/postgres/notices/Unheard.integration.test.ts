import { Handover } from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as CutAtCommit from "#test/layers/postgres/CutAtCommit.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"

/** A node's stores over a connection that loses an answer, with an engine that owns every shard and counts how often it is told to read. */
const node = Effect.gen(function*() {
  const database = yield* FreshDatabase.url
  const lossy = CutAtCommit.make(database)
  const context = yield* Layer.build(Layer.fresh(Stores.layer).pipe(Layer.provide(lossy.layer)))
  let told = 0
  yield* Effect.provideContext(
    Handover.use(({ connect }) =>
      connect({
        owns: () => true,
        room: Effect.void,
        offer: () => Effect.void,
        stir: Effect.void,
        behind: () => Effect.sync(() => void told++)
      })
    ),
    context
  )
  return { ...lossy, context, told: () => told }
})

describe("an owner on the node that wrote, whose answer did not come", () => {
  it.effect("P1: reads what a flush may have stored that its callers gave up, as soon as it has ended", () =>
    Effect.gen(function*() {
      const { arm, context, speak, told } = yield* node
      yield* Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const message = Fixture.message(place)
        arm("silent", "insert into messages")
        const accepting = yield* Effect.forkChild(
          Effect.flip(journal.accept(Fixture.acceptance(place, [message]))),
          { startImmediately: true }
        )
        const isStored = Effect.map(journal.due(Fixture.window(place)), ({ rows }) => rows.length === 1)
        yield* Effect.repeat(isStored, { until: (stored) => stored })
        yield* TestClock.adjust("2 seconds")
        assert.propertyVal(yield* Fiber.join(accepting), "_tag", "StoreUnavailable")
        speak()
        for (let turn = 0; turn < 1_000 && told() === 0; turn++) yield* Effect.promise(() => setTimeout(20))
        assert.strictEqual(told(), 1)
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped))

  it.live("P4: reads what a receipt may have changed whose provider is asked to repeat it: the repeat changes nothing", () =>
    Effect.gen(function*() {
      const { arm, context, told } = yield* node
      yield* Effect.gen(function*() {
        const { epoch, journal, message, place: { at, scope } } = yield* Fixture.owned
        for (const state of ["intent", "unknown"] as const) {
          yield* journal.record(
            Fixture.step(message, epoch, { lifecycle: ["Route"], attempt: Fixture.attempt(1, state) })
          )
        }
        const report = (id: typeof message.id) =>
          journal.observe({
            scope,
            id,
            event: "Deliver",
            history: { type: "DELIVERED", ts: at + 50 },
            eventId: "e-1",
            call: { providers: ["null"] }
          })
        arm("after")
        assert.propertyVal(yield* Effect.flip(report(message.id)), "_tag", "StoreUnavailable")
        assert.strictEqual(told(), 1)
        assert.propertyVal(yield* report(message.id), "applied", false)
        assert.propertyVal(yield* Effect.flip(report(Fixture.id(at))), "_tag", "MessageNotFound")
        assert.strictEqual(told(), 1, "nothing is read for what changes nothing")
      }).pipe(Effect.provideContext(context))
    }).pipe(Effect.scoped))
})
