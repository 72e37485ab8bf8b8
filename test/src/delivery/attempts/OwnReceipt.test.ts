import { Unknown } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"

const door = memory.node.pipe(Layer.provide(Handover.layer))

/** Who is called for a message whose first call is never answered, and what has become of it by then; a receipt of that call comes first. */
const called = Effect.fnUntraced(function*(
  event: "Deliver" | "Open" | undefined,
  more: Partial<Instructions> = { timeout: { provider: { mail: 1_000 } } }
) {
  const place = yield* EngineNode.place
  const { at, scope } = place
  const cluster = yield* EngineNode.make(memory.node)
  const shared = yield* Effect.context<Layer.Services<typeof door>>()
  const id = Fixture.id(at)
  const calls: Array<string> = []
  const told = Effect.gen(function*() {
    const history = { type: "DELIVERED" as const, ts: yield* Clock.currentTimeMillis }
    if (event === undefined) return
    yield* Journal.use((journal) => journal.observe({ scope, id, event, history, call: { providers: ["mail"] } }))
  }).pipe(Effect.provide(door), Effect.provideContext(shared), Effect.orDie)
  const silence = new Unknown({ detail: "silence" })
  const vendor = (key: string, channel = "email"): Vendor => ({
    _tag: "Vendor",
    key,
    channel,
    reaches: () => true,
    send: () => {
      calls.push(key)
      return key === "mail"
        ? Effect.andThen(told, Effect.delay(silence, "3 seconds"))
        : Effect.succeed({ reference: undefined })
    }
  })
  const vendors = [vendor("mail"), vendor("post"), vendor("text", "sms")]
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
  yield* node.accept(Fixture.message(place, {
    id,
    requestId: id,
    recipient: { email: "ada@example.com" },
    instructions: {
      content: { title: "t", body: "b" },
      routing: { method: "single", channels: ["email"] },
      ...more
    }
  }))
  for (let second = 0; second < 60; second++) {
    yield* cluster.settle
    yield* TestClock.adjust("1 second")
  }
  const { status, willRetry } = yield* MessageLog.use((log) => log.get(scope, id))
  return { calls, status, willRetry }
}, Effect.scoped)

describe("A receipt of a call that is not answered", () => {
  it.effect("P4: tells that it was taken: no other provider is called", () =>
    Effect.gen(function*() {
      const stuck = Effect.map(Metric.value(Metrics.stuck), ({ count }) => count)
      const before = yield* stuck
      assert.deepStrictEqual(yield* called("Deliver"), { calls: ["mail"], status: "DELIVERED", willRetry: false })
      assert.deepStrictEqual(yield* called("Open"), { calls: ["mail"], status: "OPENED", willRetry: false })
      assert.deepStrictEqual(yield* called(undefined), { calls: ["mail", "post"], status: "SENT", willRetry: false })
      assert.strictEqual(yield* stuck, before, "it was given back, and not overlooked")
    }).pipe(Effect.provide(memory.shared)))

  it.effect("has a one-time password go on to its next channel at its time, and not when the receipt's own is over", () =>
    Effect.gen(function*() {
      const { calls } = yield* called("Deliver", {
        metadata: { tags: ["otp"] },
        routing: { method: "single", channels: ["email", "sms"] },
        timeout: { criteria: "viewed", escalation: 30_000 }
      })
      assert.deepStrictEqual(calls, ["mail", "text"])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("that comes while its call is closed which a dead owner has left open is no other try of its message", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const { at, scope } = place
      const cluster = yield* EngineNode.make(memory.node)
      const shared = yield* Effect.context<Layer.Services<typeof door>>()
      const id = Fixture.id(at)
      const history = { type: "DELIVERED" as const, ts: at }
      const told = Journal.use((journal) =>
        journal.observe({ scope, id, event: "Deliver", history, call: { providers: ["mail"] } })
      ).pipe(Effect.provide(door), Effect.provideContext(shared), Effect.orDie)
      const tries: Array<number> = []
      const vendor = (key: string, die: () => void): Vendor => ({
        _tag: "Vendor",
        key,
        channel: "email",
        reaches: () => true,
        send: () => Effect.andThen(Effect.sync(die), Effect.never)
      })
      const start = cluster.start({
        shards: [place.shard],
        vendors: (die) => [vendor("mail", die), vendor("post", die)],
        cut: (step) => {
          if (step.tries !== undefined) tries.push(step.tries)
          if (step.attempt?.state === "unknown") Effect.runSync(told)
          return undefined
        }
      })
      const node = yield* start
      yield* cluster.settle
      const instructions = {
        content: { title: "t", body: "b" },
        routing: { method: "single" as const, channels: ["email"] },
        timeout: { criteria: "viewed" as const, escalation: 60_000, provider: { mail: 1_000 } }
      }
      yield* node.accept(
        Fixture.message(place, { id, requestId: id, recipient: { email: "ada@example.com" }, instructions })
      )
      yield* cluster.settle
      assert.isTrue(node.isDead())
      yield* start
      yield* cluster.settle
      yield* cluster.finish([place.shard])
      assert.strictEqual((yield* MessageLog.use((log) => log.get(scope, id))).status, "DELIVERED")
      assert.deepStrictEqual(tries, [1, 0, 1], "counted, given back, and counted when it was read again")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
