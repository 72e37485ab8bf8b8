import { Journal } from "#src/delivery/Journal.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Seconds that the provider takes, and after which the shard is another's. */
const call = 40
const lostAt = 20

/** A message whose shard is taken while its provider is called; `isServed`: by a node that goes on with it. */
const lived = Effect.fnUntraced(function*(isServed: boolean) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const calls: Array<number> = []
  const vendors = () => [{
    _tag: "Vendor" as const,
    key: "mail",
    channel: "email" as const,
    reaches: () => true,
    send: () =>
      Clock.currentTimeMillis.pipe(
        Effect.map((at) => calls.push((at - place.at) / 1_000)),
        Effect.andThen(Effect.sleep(`${call} seconds`)),
        Effect.as({ reference: "taken" })
      )
  }]
  const pass = Effect.fnUntraced(function*(seconds: number) {
    for (let second = 0; second < seconds; second++) {
      yield* cluster.settle
      yield* TestClock.adjust("1 second")
    }
    yield* cluster.settle
  })
  const node = yield* cluster.start({ shards: [place.shard], vendors })
  const message = Fixture.message(place)
  yield* node.accept(message)
  yield* pass(lostAt)
  if (isServed) yield* cluster.start({ shards: [place.shard], vendors })
  else {
    // A lock that is lost and won again: the same node takes the next epoch.
    const stores = yield* Layer.build(Layer.fresh(memory.node.pipe(Layer.provideMerge(Handover.layer))))
    yield* Effect.provideContext(Journal.use((journal) => journal.take(place.shard, "node", place.at)), stores)
  }
  yield* pass(200)
  const log = yield* MessageLog
  const { status } = yield* log.get(place.scope, message.id)
  const attempts = yield* log.attempts(place.scope, message.id)
  const lines = (yield* log.history(place.scope, message.id)).map(({ type }) => type)
  return { calls, status, attempts: attempts.map(({ reference, state }) => [state, reference]), lines }
}, (effect) => effect.pipe(Effect.scoped, Effect.provide(memory.shared)))

describe("A call whose owner has lost the shard when it is answered", () => {
  it.effect("P4: is accepted all the same, and not made again", () =>
    Effect.gen(function*() {
      const { attempts, calls, lines, status } = yield* lived(false)
      assert.deepStrictEqual([calls, attempts, status], [[0], [["accepted", "taken"]], "SENT"])
      assert.strictEqual(lines.filter((type) => type === "SENT").length, 1)
    }))

  it.effect("P4: stays unknown where a successor has called again: that call was made in doubt of it", () =>
    Effect.gen(function*() {
      const { attempts, status } = yield* lived(true)
      assert.strictEqual(status, "SENT")
      assert.deepStrictEqual(attempts[0], ["unknown", null])
      assert.lengthOf(attempts.filter(([state]) => state === "accepted"), 1)
    }))
})
