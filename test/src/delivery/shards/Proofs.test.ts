import type { Instructions } from "#schemas/SendMessage.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

/** Answers that are so long on their way, in ms, and then no more. */
const slowFor = (answers: ReadonlyArray<number>) => {
  const waits = [...answers]
  return Layer.effect(
    Journal,
    Effect.map(Journal, (journal) => ({
      ...journal,
      record: (step) => Effect.tap(journal.record(step), () => Effect.sleep(waits.shift() ?? 0))
    }))
  ).pipe(Layer.provideMerge(memory.node))
}

const delivered = Effect.fnUntraced(function*(
  answers: ReadonlyArray<number>,
  more: Pick<Instructions, "timeout"> = {}
) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(slowFor(answers))
  const calls: Array<number> = []
  const node = yield* cluster.start({
    shards: [place.shard],
    vendors: () => [{
      _tag: "Vendor",
      key: "vendor",
      channel: "email",
      reaches: () => true,
      send: () =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          calls.push(at - place.at)
          return { reference: undefined }
        })
    }]
  })
  // The shard is taken by then: the first step of a message that is there already counts its try, and is no intent.
  yield* cluster.settle
  const id = Fixture.id(place.at)
  const recipient = { email: "ada@example.com" }
  const instructions = { content: { title: "t", body: "b" }, ...more }
  yield* node.accept(Fixture.message(place, { id, requestId: id, recipientKey: "ada", recipient, instructions }))
  const log = yield* MessageLog
  // Whoever waits for a late answer is at work for `cluster.settle`, and time would never move.
  for (let second = 0; second < 120 && (yield* log.get(place.scope, id)).status !== "SENT"; second++) {
    for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => setImmediate())
    yield* TestClock.adjust("1 second")
  }
  const events = (yield* log.history(place.scope, id)).map(({ type }) => type)
  return { calls, events, status: (yield* log.get(place.scope, id)).status }
}, Effect.scoped)

describe("Proofs of ownership", () => {
  for (const answers of [[3_000], [3_000, 3_000]]) {
    it.effect(`P2: an intent whose answer is 3 s on its way is proven anew before the call (${answers.length})`, () =>
      Effect.gen(function*() {
        const { calls, events, status } = yield* delivered(answers)
        assert.deepStrictEqual([status, calls], ["SENT", [3_000 * answers.length]])
        assert.notInclude(events, "RETRYING")
      }).pipe(Effect.provide(memory.shared)))
  }

  it.effect("P2: nobody is called on the word of a store that is always late, and the call is made once it is not", () =>
    Effect.gen(function*() {
      const { calls, events, status } = yield* delivered([3_000, 3_000, 3_000, 3_000])
      assert.strictEqual(status, "SENT")
      assert.lengthOf(calls, 1)
      assert.isAbove(calls[0] ?? 0, 9_000)
      assert.include(events, "RETRYING")
    }).pipe(Effect.provide(memory.shared)))

  it.effect("a call that was not made since the store was late is no try of its provider", () =>
    Effect.gen(function*() {
      const { calls, status } = yield* delivered([3_000, 3_000, 3_000, 3_000], { timeout: { provider: 1_000 } })
      assert.deepStrictEqual([status, calls.length], ["SENT", 1])
    }).pipe(Effect.provide(memory.shared)))
})
