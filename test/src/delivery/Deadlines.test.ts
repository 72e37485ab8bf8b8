import { Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const timeout = 20_000

/** What becomes of a message whose provider never does better; `isAway`: its node dies after the first call, and another comes after the deadline. */
const ended = Effect.fnUntraced(function*(error: Unavailable | Unknown, isAway: boolean) {
  const place = yield* EngineNode.place
  const vendor: Vendor = { _tag: "Vendor", key: "mail", channel: "email", reaches: () => true, send: () => error }
  const options = { shards: [place.shard], vendors: () => [vendor] }
  const cluster = yield* EngineNode.make(memory.node)
  const node = yield* cluster.start(options)
  const message = Fixture.message(place, {
    instructions: { content: { title: "Hello", body: "World" }, timeout: { message: timeout } }
  })
  yield* node.accept(message)
  yield* cluster.settle
  if (isAway) {
    node.die()
    yield* TestClock.setTime(place.at + 2 * timeout)
    yield* cluster.start(options)
  }
  yield* cluster.finish([place.shard])
  const log = yield* MessageLog
  const { error: detail, reason, status } = yield* log.get(place.scope, message.id)
  const last = (yield* log.history(place.scope, message.id)).at(-1)
  assert.strictEqual(last?.type === "UNDELIVERABLE" ? last.reason : undefined, reason)
  return { status, reason, detail }
}, Effect.scoped)

describe("A message whose deadline passes", () => {
  for (const error of [new Unknown({ detail: "silence" }), new Unavailable({ detail: "down" })]) {
    it.effect(`P6: ends for the same reason, ${error._tag}, whether its node was there or away`, () =>
      Effect.gen(function*() {
        const there = yield* ended(error, false)
        assert.strictEqual(there.status, "UNDELIVERABLE")
        assert.deepStrictEqual(yield* ended(error, true), there)
      }).pipe(Effect.provide(memory.shared)))
  }

  it.effect("ends then, counted from its first attempt if it had to wait for its recipient, else from its start", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const down = Array.from(
        { length: 99 },
        () => ({ _tag: "Fail" as const, error: new Unavailable({ detail: "down" }) })
      )
      const { calls, vendor } = yield* Fake.make({ key: "mail", channel: "email", script: down })
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [vendor] })
      const send = Effect.fnUntraced(function*(more: Partial<NewMessage>, delay: Instructions["delay"]) {
        const instructions = { content: { title: "Hello", body: "World" }, timeout: { message: timeout }, delay }
        const message = Fixture.message(place, { ...more, instructions })
        yield* node.accept(message)
        yield* cluster.settle
        yield* cluster.finish([place.shard])
        const history = yield* MessageLog.use((log) => log.history(place.scope, message.id))
        const began = history.find(({ type }) => type === "DELIVERING")?.ts ?? 0
        const last = history.at(-1)
        assert.strictEqual(last?.type, "UNDELIVERABLE")
        return (last?.ts ?? 0) - began
      })
      const took = yield* send({}, { until: "24/7" })
      assert.isAbove(took, timeout / 2)
      assert.isAtMost(took, timeout)
      const before = (yield* calls).length
      assert.isAbove(before, 1)
      const start = (yield* Clock.currentTimeMillis) + 3_600_000
      const delay = { duration: start - place.at }
      assert.isAbove(yield* send({ status: "DELAYED", dueAt: start }, delay), timeout / 2)
      assert.isAbove((yield* calls).length, before + 1)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("is not sent, if its first call comes no sooner", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const vendor = yield* Fake.make({ key: "mail", channel: "email" })
      const options = { vendors: () => [vendor.vendor] }
      const other = yield* cluster.start({ ...options, shards: [] })
      const ids = []
      for (const given of [{ message: timeout }, undefined]) {
        const message = Fixture.message(place, {
          instructions: { content: { title: "Hello", body: "World" }, timeout: given }
        })
        yield* other.accept(message)
        ids.push(message.id)
      }
      yield* TestClock.setTime(place.at + 72 * 3_600_000 - 1)
      yield* cluster.start({ ...options, shards: [place.shard] })
      yield* cluster.settle
      const log = yield* MessageLog
      const records = yield* Effect.forEach(ids, (id) => log.get(place.scope, id))
      assert.deepStrictEqual(records.map(({ error, status }) => [status, error]), [
        ["UNDELIVERABLE", "The message's deadline passed"],
        ["SENT", undefined]
      ])
      assert.lengthOf(yield* vendor.calls, 1)
      for (const id of ids.slice(0, 1)) {
        const lines = (yield* log.history(place.scope, id)).map(({ type }) => type)
        assert.deepStrictEqual(lines.slice(-4), ["MAPPED", "PROFILE_LOADED", "ROUTED", "UNDELIVERABLE"])
      }
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
