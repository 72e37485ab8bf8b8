import { RateLimited } from "#schemas/DeliveryError.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"

const second = 1_000

/** How the first call ends for which all others wait, for seconds. */
const waits: Readonly<Record<string, { readonly connections: number; readonly first: ReturnType<Vendor["send"]> }>> = {
  "at a rate gate": {
    connections: 64,
    first: Effect.fail(new RateLimited({ detail: "slow down", retryAfter: 5 * second }))
  },
  "for a connection": {
    connections: 1,
    first: Effect.delay(Effect.succeed({ reference: undefined }), 5 * second)
  }
}

describe("A shard that is handed over", () => {
  for (const [what, { connections, first }] of Object.entries(waits)) {
    it.effect(`P4: ends the waits ${what} at once; what waited is the next owner's, and is called once`, () =>
      Effect.gen(function*() {
        const place = yield* EngineNode.place
        const cluster = yield* EngineNode.make(memory.node)
        const calls: Array<{ readonly node: string; readonly id: string }> = []
        const start = (name: string, shards: ReadonlyArray<number>) => {
          const slots = Slots.make(connections, 0)
          const vendor: Vendor = {
            _tag: "Vendor",
            key: "mail",
            channel: "email",
            reaches: () => true,
            slots: () => slots,
            send: ({ messageId }) =>
              Effect.suspend(() =>
                calls.push({ node: name, id: messageId }) === 1 ? first : Effect.succeed({ reference: undefined })
              )
          }
          return cluster.start({ shards, vendors: () => [vendor] })
        }
        const other = place.shard + 100_000
        const node = yield* start("first", [place.shard, other])
        const send = Effect.fnUntraced(function*(tenantId: string, shard = place.shard) {
          const id = Fixture.id(place.at)
          const recipient = { email: `${id}@example.com` }
          const recipientKey = `${place.scope}:email:${recipient.email}`
          yield* node.accept(Fixture.message(place, { id, requestId: id, recipientKey, recipient, tenantId, shard }))
          yield* cluster.settle
          return id
        })
        const pass = Effect.fnUntraced(function*(seconds: number) {
          for (let n = 0; n < seconds; n++) {
            yield* TestClock.adjust(second)
            yield* cluster.settle
          }
        })
        const one = yield* send("0", other)
        const ids = yield* Effect.forEach(Array.range(1, 8), (tenant) => send(`${tenant}`))
        const over = yield* Effect.forkChild(node.handOver(place.shard))
        yield* cluster.settle
        assert.isDefined(over.pollUnsafe())
        assert.deepStrictEqual(calls, [{ node: "first", id: one }])
        yield* start("second", [place.shard])
        yield* pass(60)
        const log = yield* MessageLog
        const seen = yield* Effect.forEach([one, ...ids], (id) => log.get(place.scope, id))
        assert.deepStrictEqual(seen.map(({ status }) => status), seen.map(() => "SENT"))
        const mine = calls.filter(({ id }) => id !== one)
        assert.deepStrictEqual(mine.map(({ id }) => id).sort(), [...ids].sort())
        assert.isTrue(mine.every(({ node }) => node === "second"))
      }).pipe(Effect.scoped, Effect.provide(memory.shared)))
  }

  it.effect("says nothing against a message that has not been called, however often it is: none is quarantined", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const slots = Slots.make(1, 0)
      const isFree = Deferred.makeUnsafe<void>()
      const vendor: Vendor = {
        _tag: "Vendor",
        key: "mail",
        channel: "email",
        reaches: () => true,
        slots: () => slots,
        send: () => Effect.as(Deferred.await(isFree), { reference: undefined })
      }
      const other = place.shard + 100_000
      let node = yield* cluster.start({ shards: [place.shard, other], vendors: () => [vendor] })
      const first = node
      const send = Effect.fnUntraced(function*(shard: number) {
        const id = Fixture.id(place.at)
        const recipient = { email: `${id}@example.com` }
        const recipientKey = `${place.scope}:email:${recipient.email}`
        yield* first.accept(Fixture.message(place, { id, requestId: id, recipientKey, recipient, shard }))
        yield* cluster.settle
        return id
      })
      yield* send(other)
      const id = yield* send(place.shard)
      for (let times = 0; times < 7; times++) {
        yield* node.handOver(place.shard)
        node = yield* cluster.start({ shards: [place.shard], vendors: () => [vendor] })
        yield* cluster.settle
        yield* TestClock.adjust(second)
        yield* cluster.settle
      }
      yield* Deferred.succeed(isFree, undefined)
      yield* cluster.settle
      yield* cluster.finish([place.shard])
      assert.strictEqual((yield* MessageLog.use((log) => log.get(place.scope, id))).status, "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
