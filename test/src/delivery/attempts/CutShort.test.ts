import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

describe("A message that was sent one way and waits for another", () => {
  it.effect("P6: is over, and sent, when it cannot be routed any more", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      let isReachable = true
      const reaches = () => isReachable
      const vendors: ReadonlyArray<Vendor> = [
        {
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches,
          send: () => Effect.succeed({ reference: undefined })
        },
        { _tag: "Vendor", key: "text", channel: "sms", reaches, send: () => new Unavailable({ detail: "down" }) }
      ]
      const cluster = yield* EngineNode.make(memory.node)
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
      const message = Fixture.message(place, {
        instructions: {
          content: { title: "Hello", body: "World" },
          routing: { method: "all", channels: ["email", "sms"] }
        }
      })
      yield* node.accept(message)
      yield* cluster.settle
      const { next = 0 } = yield* cluster.due([place.shard])
      isReachable = false
      yield* TestClock.setTime(next)
      yield* cluster.settle
      const log = yield* MessageLog
      assert.strictEqual((yield* log.get(place.scope, message.id)).status, "SENT")
      const lines = (yield* log.history(place.scope, message.id)).map(({ type }) => type)
      assert.deepStrictEqual(lines.slice(-2), ["RETRYING", "UNROUTABLE"], "what is left ends with a line of its own")
      assert.deepStrictEqual(yield* cluster.due([place.shard]), { open: 0, next: undefined })
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
