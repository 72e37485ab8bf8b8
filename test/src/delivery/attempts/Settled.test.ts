import { Misconfigured } from "#schemas/DeliveryError.ts"
import type { Status } from "#schemas/Status.ts"
import * as Cancel from "#src/delivery/Cancel.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Layer, Metric } from "effect"

const counted = (status: Status) => Effect.map(Metric.value(Metrics.settled({ status })), ({ count }) => Number(count))

/** What the counter of a status grows by while a message of a vendor is sent and, if it lasts, repeated to its end. */
const growth = Effect.fnUntraced(function*(status: Status, reaches: Vendor["reaches"]) {
  const place = yield* EngineNode.place
  const before = yield* counted(status)
  const cluster = yield* EngineNode.make(memory.node)
  const send = () => Effect.succeed({ reference: undefined })
  const node = yield* cluster.start({
    shards: [place.shard],
    vendors: () => [{ _tag: "Vendor", key: "mail", channel: "email", reaches, send }]
  })
  yield* node.accept(Fixture.message(place))
  yield* cluster.finish([place.shard])
  return (yield* counted(status)) - before
}, Effect.scoped)

describe("tidings_messages_settled_total counts once", () => {
  it.effect("what was sent", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* growth("SENT", () => true), 1)
    }).pipe(Effect.provide(memory.shared)))

  it.effect("what could not be routed", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* growth("UNROUTABLE", () => false), 1)
    }).pipe(Effect.provide(memory.shared)))

  it.effect("what was quarantined", () =>
    Effect.gen(function*() {
      const broken = { reaches: JSON.parse }
      assert.strictEqual(yield* growth("UNDELIVERABLE", () => broken.reaches("{")), 1)
    }).pipe(Effect.provide(memory.shared)))

  it.effect("what was cancelled", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const before = yield* counted("CANCELED")
      const cancel = yield* Cancel.make
      const { id, scope } = yield* Fixture.accepted(place)
      yield* cancel(scope, id)
      yield* cancel(scope, id)
      assert.strictEqual((yield* counted("CANCELED")) - before, 1)
    }).pipe(Effect.provide(memory.node.pipe(Layer.provide(Handover.layer), Layer.provideMerge(memory.shared)))))
})

/** How many waits for a first attempt were measured while a message of two vendors, of whom one fails, is sent to its end. */
const measured = Effect.fnUntraced(function*(more: Partial<NewMessage>) {
  const count = Effect.map(Metric.value(Metrics.acceptToFirstAttempt), ({ count }) => count)
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const down = Array.makeBy(3, () => ({ _tag: "Fail" as const, error: new Misconfigured({ detail: "down" }) }))
  const first = yield* Fake.make({ key: "first", channel: "email", script: down })
  const second = yield* Fake.make({ key: "second", channel: "email" })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [first.vendor, second.vendor] })
  yield* cluster.settle
  const before = yield* count
  yield* node.accept(Fixture.message(place, more))
  yield* cluster.finish([place.shard])
  const calls = (yield* first.calls).length + (yield* second.calls).length
  return { calls, measured: (yield* count) - before }
}, Effect.scoped)

describe("tidings_accept_to_first_attempt_seconds", () => {
  it.effect("is measured once, at the first attempt of a message that is due at once", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* measured({}), { calls: 2, measured: 1 })
      const dueAt = (yield* Fixture.world).at + 3_600_000
      assert.deepStrictEqual(yield* measured({ status: "DELAYED", dueAt }), { calls: 2, measured: 0 })
    }).pipe(Effect.provide(memory.shared)))
})
