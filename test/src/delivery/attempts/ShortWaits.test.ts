import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

describe("A message whose provider is left alone for less than a second more", () => {
  it.effect("waits for it in hand, loses no try, and is sent at its own time", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      let isWell = false
      let calls = 0
      const node = yield* cluster.start({
        shards: [place.shard],
        vendors: () => [{
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches: () => true,
          send: () =>
            Effect.suspend(() => {
              calls++
              return isWell ? Effect.succeed({ reference: undefined }) : new Unavailable({ detail: "down" })
            })
        }]
      })
      yield* cluster.settle
      const accept = Effect.fnUntraced(function*(recipientKey: string, more: Instructions = {}) {
        const instructions = { content: { title: "Hello", body: "World" }, ...more }
        const message = Fixture.message(place, { recipientKey, instructions })
        yield* node.accept(message)
        yield* cluster.settle
        return message
      })
      // Five that fail, and are over before their provider is asked again.
      for (let n = 0; n < 5; n++) yield* accept(`${n}`, { timeout: { message: 1_000 } })
      yield* TestClock.setTime(place.at + 25_000)
      yield* cluster.settle
      assert.strictEqual(calls, 5)
      isWell = true
      const id = Fixture.id(place.at)
      const at = place.at + 30_000 + RetryPolicy.apart(id)
      yield* TestClock.setTime(at - 400)
      yield* cluster.settle
      yield* node.accept(Fixture.message(place, { id, requestId: id }))
      for (const [time, made] of [[at - 400, 5], [at - 1, 5], [at, 6]] as const) {
        yield* TestClock.setTime(time)
        yield* cluster.settle
        assert.strictEqual(calls, made)
      }
      const log = yield* MessageLog
      assert.lengthOf(yield* log.attempts(place.scope, id), 1)
      assert.notInclude((yield* log.history(place.scope, id)).map(({ type }) => type), "RETRYING")
      assert.strictEqual((yield* log.get(place.scope, id)).status, "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
