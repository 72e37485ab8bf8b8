import type { Vendor } from "#src/delivery/Provider.ts"
import { Journal, RowRefused } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Metric, References } from "effect"

const defect = new Error("no such column")

/** Of which message the log says that it crashed, each time that it says of what. */
const listening = (heard: Array<unknown>) =>
  Logger.layer([Logger.make(({ fiber, message }) => {
    if (Array.isArray(message) && message.includes(defect)) {
      heard.push(fiber.getRef(References.CurrentLogAnnotations)["messageId"])
    }
  })])

/** A message whose routing crashes so often, and what becomes of it; `found`: it was open when its shard was taken. */
const run = Effect.fnUntraced(function*(crashes: number, found: boolean) {
  const place = yield* EngineNode.place
  const heard: Array<unknown> = []
  const runs: Array<number> = []
  const { count: before } = yield* Metric.value(Metrics.quarantined)
  const clock = yield* Clock.Clock
  const reaches: Vendor["reaches"] = () => {
    runs.push(clock.currentTimeMillisUnsafe())
    if (runs.length <= crashes) throw defect
    return true
  }
  const message = Fixture.message(place)
  const cluster = yield* EngineNode.make(memory.node)
  yield* Effect.gen(function*() {
    const node = yield* cluster.start({
      shards: [place.shard],
      vendors: () => [{ ...Fake.nothing("mail", "email"), reaches }]
    })
    if (!found) yield* cluster.settle
    yield* node.accept(message)
    yield* cluster.finish([place.shard])
  }).pipe(Effect.provide(listening(heard)))
  const log = yield* MessageLog
  const { error, status } = yield* log.get(place.scope, message.id)
  const lines = (yield* log.history(place.scope, message.id)).map(({ type }) => type)
  return {
    id: message.id,
    status,
    error,
    heard,
    waits: runs.slice(1).map((at, n) => at - (runs[n] ?? 0)),
    retrying: lines.filter((type) => type === "RETRYING").length,
    quarantined: Number((yield* Metric.value(Metrics.quarantined)).count) - Number(before)
  }
}, (effect) => effect.pipe(Effect.scoped, Effect.provide(memory.shared)))

/** A store that refuses to write that a call was accepted. */
const forgetful = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) =>
    Journal.of({
      ...journal,
      record: (step) =>
        step.attempt?.state === "accepted"
          ? Effect.fail(new RowRefused({ cause: "planted" }))
          : journal.record(step)
    }))
).pipe(Layer.provideMerge(memory.node))

describe("A message that crashes its pipeline", () => {
  for (const found of [false, true]) {
    const which = found ? "one that its owner found" : "a new one"
    it.effect(`P1: ${which} is sent once it crashes no more; each wait is twice the last, and each crash is told`, () =>
      Effect.gen(function*() {
        for (const crashes of [1, 4]) {
          const { heard, id, quarantined, retrying, status, waits } = yield* run(crashes, found)
          assert.deepStrictEqual([status, quarantined, retrying], ["SENT", 0, crashes])
          assert.deepStrictEqual(waits, [1_000, 2_000, 4_000, 8_000].slice(0, crashes))
          assert.deepStrictEqual(heard, Array.from({ length: crashes }, () => id))
        }
      }))

    it.effect(`${which} is set aside at the fifth time, with a count for operators`, () =>
      Effect.gen(function*() {
        const { error, quarantined, retrying, status } = yield* run(5, found)
        assert.deepStrictEqual([status, quarantined, retrying], ["UNDELIVERABLE", 1, 4])
        assert.strictEqual(error, "Quarantined: it crashed its pipeline in each of 5 tries")
      }))
  }

  it.effect("P4: each of its calls has an outcome, which is counted, though the last one came just before the end", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const { count: before } = yield* Metric.value(Metrics.unknownOutcomes)
      let calls = 0
      const send = () =>
        Effect.sync(() => {
          calls++
          return { reference: undefined }
        })
      const message = Fixture.message(place)
      const cluster = yield* EngineNode.make(forgetful)
      const node = yield* cluster.start({
        shards: [place.shard],
        vendors: () => [{ ...Fake.nothing("mail", "email"), send }]
      })
      yield* node.accept(message)
      yield* cluster.finish([place.shard])
      const attempts = yield* Effect.flatMap(MessageLog, (log) => log.attempts(place.scope, message.id))
      assert.deepStrictEqual(attempts.map(({ state }) => state), Array.from({ length: calls }, () => "unknown"))
      const { count: after } = yield* Metric.value(Metrics.unknownOutcomes)
      assert.strictEqual(Number(after) - Number(before), calls)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
