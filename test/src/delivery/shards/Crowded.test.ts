import { Unavailable } from "#schemas/DeliveryError.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

/** Messages of one recipient, one every so many ms, and how long each takes. */
const every = 500
const takes = 1_000
const minutes = 5

describe("A recipient of whom more comes than goes", () => {
  it.effect(
    "has those of its messages called that had to wait, while others of its come and go",
    () =>
      Effect.gen(function*() {
        const place = yield* EngineNode.place
        const cluster = yield* EngineNode.make(memory.node)
        const calls = new Map<string, Array<number>>()
        const first = Fixture.id(place.at)
        const node = yield* cluster.start({
          shards: [place.shard],
          vendors: () => [{
            _tag: "Vendor",
            key: "webhook",
            channel: "webhook",
            reaches: () => true,
            send: Effect.fnUntraced(function*({ messageId }) {
              const earlier = calls.get(messageId) ?? []
              calls.set(messageId, [...earlier, yield* Clock.currentTimeMillis])
              if (messageId === first && earlier.length === 0) {
                return yield* new Unavailable({ detail: "503", retryAfter: 30_000 })
              }
              yield* Effect.sleep(takes)
              return { reference: undefined }
            })
          }]
        })
        yield* cluster.settle
        const sent: Array<string> = []
        for (let n = 0; n < minutes * 60_000 / every; n++) {
          const at = yield* Clock.currentTimeMillis
          const message = Fixture.message({ ...place, at }, {
            ...(n === 0 ? { id: first } : {}),
            instructions: {
              content: { title: "Hello", body: "World" },
              routing: { method: "single", channels: ["webhook"] }
            }
          })
          sent.push(message.id)
          yield* node.accept(message)
          yield* cluster.settle
          yield* TestClock.adjust(every)
        }
        yield* cluster.settle
        const begun = sent.filter((id) => calls.has(id))
        assert.isBelow(begun.length, sent.length - 100, "more came than went")
        assert.strictEqual(calls.get(first)?.length, 2, "the first is tried again")
        assert.deepStrictEqual(
          begun.slice(0, 66),
          sent.slice(0, 66),
          "and what waited for the webhook with it is called"
        )
      }).pipe(Effect.scoped, Effect.provide(memory.shared)),
    180_000
  )
})
