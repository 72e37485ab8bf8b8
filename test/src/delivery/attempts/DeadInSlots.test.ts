import { RecipientRejected } from "#schemas/DeliveryError.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
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

  it.effect("keeps its turn at a later provider, though one that would call it comes before that in its routing", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const slots = Slots.make(1, 0)
      const called: Array<string> = []
      const vendor = (key: string, elsewhere: boolean): Vendor => ({
        _tag: "Vendor",
        key,
        channel: "email",
        reaches: () => true,
        addressOf: ({ email }) => elsewhere ? "work@example.com" : typeof email === "string" ? email : undefined,
        ...(elsewhere ? { slots: () => slots } : {}),
        send: ({ profile }) => {
          called.push(`${key} ${String(profile["email"])}`)
          return elsewhere
            ? Effect.as(Effect.sleep(1_000), { reference: undefined })
            : new RecipientRejected({ detail: "5.1.1", invalidates: true })
        }
      })
      const vendors = [vendor("first", false), vendor("second", false), vendor("third", true)]
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
      for (
        const [email, providers] of [["ada", ["third"]], ["bob", ["first", "second", "third"]], ["eve", [
          "third"
        ]]] as const
      ) {
        yield* node.accept(Fixture.message(place, {
          recipientKey: `email:${email}`,
          recipient: { email: `${email}@example.com` },
          instructions: {
            content: { title: "Hello", body: "World" },
            routing: { method: "all", channels: ["email"] },
            channels: { email: { routing_method: "all", providers } }
          }
        }))
        yield* cluster.settle
      }
      for (let second = 0; second < 4; second++) {
        yield* TestClock.adjust(1_000)
        yield* cluster.settle
      }
      assert.deepStrictEqual(called, [
        "third ada@example.com",
        "first bob@example.com",
        "third bob@example.com",
        "third eve@example.com"
      ])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
