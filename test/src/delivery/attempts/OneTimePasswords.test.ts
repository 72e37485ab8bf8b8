import { Unknown } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

/** The minutes after which a provider is called for a message of whose first call nobody knows the outcome. */
const minutes = Effect.fnUntraced(function*(said: Pick<Instructions, "metadata" | "timeout">) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const calls: Array<number> = []
  const vendor: Vendor = {
    _tag: "Vendor",
    key: "text",
    channel: "sms",
    reaches: () => true,
    send: () =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        calls.push(Math.floor((now - place.at) / 60_000))
        return calls.length === 1 ? new Unknown({ detail: "silence" }) : Effect.succeed({ reference: undefined })
      })
  }
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [vendor] })
  const content = { title: "Hello", body: "World" }
  yield* node.accept(Fixture.message(place, { instructions: { content, ...said } }))
  yield* cluster.settle
  // A wait of up to a second is no row that is due.
  yield* TestClock.adjust("1 second")
  yield* cluster.finish([place.shard])
  return calls
}, Effect.scoped)

describe("A one-time password of whose call nobody knows", () => {
  it.effect("waits a quarter of an hour for a receipt before it is sent again, which no other message does", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* minutes({ metadata: { tags: ["otp"] } }), [0, 15])
      assert.deepStrictEqual(yield* minutes({ metadata: { tags: ["news"] } }), [0, 0])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("is not sent again because its time is over within a second", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* minutes({ metadata: { tags: ["otp"] }, timeout: { message: 900 } }), [0])
      assert.deepStrictEqual(yield* minutes({ metadata: { tags: ["otp"] }, timeout: { message: 9_000 } }), [0])
    }).pipe(Effect.provide(memory.shared)))
})
