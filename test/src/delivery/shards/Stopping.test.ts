import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

describe("A node that stops", () => {
  it.effect("begins nothing any more, and what runs comes to its end", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const calls: Array<string> = []
      const slow: Vendor = {
        _tag: "Vendor",
        key: "slow",
        channel: "email",
        reaches: () => true,
        send: ({ messageId }) =>
          Effect.suspend(() => {
            calls.push(messageId)
            return Effect.delay(Effect.succeed({ reference: undefined }), "9 seconds")
          })
      }
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [slow] })
      const send = Effect.fnUntraced(function*(recipientKey: string) {
        const message = Fixture.message(place, { recipientKey })
        yield* node.accept(message)
        yield* cluster.settle
        return message.id
      })
      const [running, behind] = [yield* send("ada"), yield* send("ada")]
      yield* TestClock.adjust("1 second")
      yield* node.stop
      const late = yield* send("bob")
      yield* TestClock.adjust("1 minute")
      yield* cluster.settle
      assert.deepStrictEqual(calls, [running])
      const log = yield* MessageLog
      const statuses = yield* Effect.forEach(
        [running, behind, late],
        (id) => Effect.map(log.get(place.scope, id), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, ["SENT", "ENQUEUED", "ENQUEUED"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
