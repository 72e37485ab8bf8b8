import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** More than one look finds. */
const many = 1_050

describe("A shard that is back while a call of before lasts", () => {
  it.effect("P3: whoever has more due than a look finds, and waits for the call, holds up nobody else, nor the store", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const called: Array<unknown> = []
      const node = yield* cluster.start({
        shards: [place.shard],
        vendors: () => [{
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches: () => true,
          send: ({ profile: { email } }) =>
            Effect.suspend(() => {
              const isFirst = called.push(email) === 1
              return Effect.as(isFirst ? Effect.sleep("10 minutes") : Effect.void, { reference: undefined })
            })
        }]
      })
      const other = Context.get(
        yield* Layer.build(Layer.fresh(memory.node.pipe(Layer.provide(Handover.layer)))),
        Journal
      )
      const send = (who: string) => {
        const id = Fixture.id(place.at)
        return node.accept(Fixture.message(place, { id, requestId: id, recipientKey: who, recipient: { email: who } }))
      }
      yield* send("ada")
      yield* cluster.settle
      // Another node has the shard for a moment, of which this one hears by what it writes next.
      yield* other.take(place.shard, "other", yield* Clock.currentTimeMillis)
      yield* send("bob")
      yield* cluster.settle
      for (let n = 0; n < many; n++) yield* send("ada")
      yield* TestClock.adjust("1 minute")
      yield* cluster.settle
      yield* send("cleo")
      yield* TestClock.adjust("1 second")
      yield* cluster.settle
      assert.deepStrictEqual(called.toSorted(), ["ada", "bob", "cleo"])
      yield* TestClock.adjust("10 minutes")
      yield* cluster.settle
      yield* cluster.finish([place.shard])
      assert.strictEqual(called.filter((who) => who === "ada").length, many + 2)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
