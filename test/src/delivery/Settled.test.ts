import type { Status } from "#schemas/Status.ts"
import * as Cancel from "#src/delivery/Cancel.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"

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
