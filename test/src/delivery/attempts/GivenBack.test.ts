import { Misconfigured } from "#schemas/DeliveryError.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

describe("A message that is given back while it waits for a connection", () => {
  it.effect("has no try counted anew that a call of the same run has cleared", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const slots = Slots.make(1, 0)
      const vendor = (key: string, more: Partial<Vendor>): Vendor => ({
        _tag: "Vendor",
        key,
        channel: "email",
        reaches: () => true,
        send: () => Effect.fail(new Misconfigured({ detail: "the key is revoked" })),
        ...more
      })
      const vendors = () => [vendor("refuses", {}), vendor("full", { slots: () => slots, send: () => Effect.never })]
      const message = (name: string, shard: number, providers: ReadonlyArray<string>) => {
        const recipient = { email: `${name}@example.com` }
        return Fixture.message(place, {
          recipientKey: `email:${recipient.email}`,
          recipient,
          shard,
          instructions: {
            content: { title: "Hello", body: "World" },
            routing: { method: "single", channels: ["email"] },
            channels: { email: { providers } }
          }
        })
      }
      const busy = yield* cluster.start({ shards: [place.shard + 64], vendors })
      yield* cluster.settle
      yield* busy.accept(message("bob", place.shard + 64, ["full"]))
      yield* cluster.settle
      const dying = cluster.start({
        shards: [place.shard],
        vendors,
        cut: ({ attempt }) => attempt?.state === "intent" ? "before" : undefined
      })
      yield* (yield* dying).accept(message("ada", place.shard, ["refuses", "full"]))
      for (let tries = 0; tries < 2; tries++) {
        yield* cluster.settle
        yield* TestClock.adjust("1 second")
        yield* dying
      }
      yield* cluster.settle
      const counts: Array<number> = []
      const last = yield* cluster.start({
        shards: [place.shard],
        vendors,
        cut: ({ tries }) => {
          if (tries !== undefined) counts.push(tries)
          return undefined
        }
      })
      yield* cluster.settle
      yield* TestClock.adjust("1 second")
      yield* cluster.settle
      yield* last.handOver(place.shard)
      yield* cluster.settle
      assert.isAbove(counts[0] ?? 0, 1, "it was recovered more than once")
      assert.strictEqual(counts.at(-1), 0)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
