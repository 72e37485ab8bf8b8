import { RateLimited } from "#schemas/DeliveryError.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const messages = 300
const eachSecond = 5

describe("A provider that takes so many messages a second", () => {
  for (const [named, retryAfter] of [["names no wait", undefined], ["names a second", 1_000]] as const) {
    it.effect(
      `is given nearly as many, where it ${named}`,
      () =>
        Effect.gen(function*() {
          const place = yield* EngineNode.place
          const cluster = yield* EngineNode.make(memory.node)
          const slots = Slots.make(64)
          const taken: Array<number> = []
          const node = yield* cluster.start({
            shards: [place.shard],
            vendors: () => [{
              _tag: "Vendor",
              key: "mail",
              channel: "email",
              reaches: () => true,
              slots: () => slots,
              send: Effect.fnUntraced(function*() {
                yield* Effect.sleep(200)
                const second = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
                if (taken.filter((at) => at === second).length >= eachSecond) {
                  return yield* new RateLimited({ detail: "too many", retryAfter })
                }
                taken.push(second)
                return { reference: undefined }
              })
            }]
          })
          for (let n = 0; n < messages; n++) {
            const email = `${n}@x.test`
            yield* node.accept(
              Fixture.message(place, { recipientKey: `${place.scope}:email:${email}`, recipient: { email } })
            )
          }
          const least = messages / eachSecond
          for (let second = 0; second < 5 * least && taken.length < messages; second++) {
            yield* TestClock.adjust("1 second")
          }
          assert.lengthOf(taken, messages)
        }).pipe(Effect.scoped, Effect.provide(memory.shared)),
      60_000
    )
  }
})
