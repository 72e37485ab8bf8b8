import { RecipientRejected } from "#schemas/DeliveryError.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

describe("A call that finds its address dead", () => {
  it.effect("leaves its provider's slot to others while that is remembered", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const slots = Slots.make(1, 1)
      const told: Array<string> = []
      let calls = 0
      const node = yield* cluster.start({
        shards: [place.shard],
        suppressions: Layer.mock(Suppressions, {
          reason: () => Effect.undefined,
          add: (_, [one]) => Effect.andThen(Effect.sync(() => told.push(one?.address ?? "nothing")), Effect.never)
        }),
        vendors: () => [{
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches: () => true,
          addressOf: ({ email }) => typeof email === "string" ? email : undefined,
          slots: () => slots,
          send: () =>
            Effect.suspend(() => {
              calls++
              return Effect.fail(new RecipientRejected({ detail: "5.1.1", invalidates: true }))
            })
        }]
      })
      yield* cluster.settle
      for (const name of ["ada", "bob", "eve"]) {
        const email = `${name}@example.com`
        yield* node.accept(Fixture.message(place, {
          recipientKey: `email:${email}`,
          recipient: { email },
          instructions: {
            content: { title: "Hello", body: "World" },
            routing: { method: "single", channels: ["email"] }
          }
        }))
      }
      for (let ms = 0; ms < 20; ms++) {
        yield* cluster.settle
        yield* TestClock.adjust(1)
      }
      assert.deepStrictEqual([calls, told.length], [3, 3])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
