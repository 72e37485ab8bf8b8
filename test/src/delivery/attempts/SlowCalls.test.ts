import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const took = 7_000

describe("A call that takes long", () => {
  it.effect("has the time of its answer in the timeline, and what is waited for after it counts from then", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const calledAt: Array<number> = []
      const vendor: Vendor = {
        _tag: "Vendor",
        key: "mail",
        channel: "email",
        reaches: () => true,
        send: () =>
          Effect.gen(function*() {
            calledAt.push((yield* Clock.currentTimeMillis) - place.at)
            yield* Effect.sleep(took)
            if (calledAt.length === 1) return yield* new Unavailable({ detail: "down" })
            return { reference: undefined }
          })
      }
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [vendor] })
      const message = Fixture.message(place)
      yield* node.accept(message)
      for (let second = 0; second < 30; second++) {
        yield* cluster.settle
        yield* TestClock.adjust("1 second")
      }
      yield* cluster.settle
      const history = yield* MessageLog.use((log) => log.history(place.scope, message.id))
      const told = history.flatMap(({ ts, type }) =>
        type === "RETRYING" || type === "SENT" ? [[type, ts - place.at]] : []
      )
      const [first = NaN, second = NaN] = calledAt
      assert.deepStrictEqual(told, [["RETRYING", first + took], ["SENT", second + took]])
      assert.isAtLeast(second - first, took + 4_000)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
