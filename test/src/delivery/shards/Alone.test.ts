import * as Paging from "#src/delivery/expansion/Paging.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as ListOf from "#test/support/ListOf.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

const people = 4_000
const dueIn = 20_000

/** Lets the node work for so many turns of the event loop, and no longer. */
const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await setImmediate()
  })

describe("A suspect that runs alone", () => {
  it.effect.each([5, 10, 15, 20, 25, 30])(
    "A5: holds up no fan-out that it comes due in, and is held up by none (%i)",
    (count) =>
      Effect.gen(function*() {
        const world = yield* Fixture.world
        yield* TestClock.setTime(world.at)
        const cluster = yield* EngineNode.make(memory.node)
        const pass = Effect.fnUntraced(function*(steps: number, ms: number) {
          for (let step = 0; step < steps; step++) {
            yield* cluster.settle
            yield* TestClock.adjust(ms)
          }
        })
        const sent = new Set<string>()
        const start = (shards: ReadonlyArray<number>) =>
          cluster.start({
            shards,
            lag: () => 1 + sent.size % 6,
            members: ListOf.people(people),
            vendors: () => [{
              _tag: "Vendor",
              key: "vendor",
              channel: "email",
              reaches: () => true,
              send: ({ messageId }) => Effect.sync(() => ({ reference: [...sent.add(messageId)].at(-1) }))
            }]
          })
        const mail = { shard: world.shard, lane: "transactional" } as const
        const suspect = Fixture.message(world, {
          ...mail,
          tries: 3,
          dueAt: world.at + dueIn,
          recipientKey: "suspect",
          recipient: { email: "suspect@example.com" }
        })
        yield* (yield* start([])).accept(suspect)
        // As three deaths of its process left it.
        const stores = yield* Layer.build(Layer.fresh(memory.node.pipe(Layer.provideMerge(Handover.layer))))
        yield* Effect.gen(function*() {
          const journal = yield* Journal
          const { epoch } = yield* journal.take(world.shard, "dead", world.at)
          yield* journal.record(Fixture.step(suspect, epoch, { at: world.at, tries: 3 }))
        }).pipe(Effect.provideContext(stores))
        const node = yield* start([...Array.from({ length: 64 }, (_, shard) => shard), world.shard])
        yield* pass(dueIn / 1_000 - 1, 1_000)
        yield* cluster.settle
        yield* TestClock.adjust(999)
        yield* cluster.settle
        const id = Fixture.id(world.at + dueIn)
        yield* node.expand({
          id,
          scope: world.scope,
          shard: world.shard,
          keyState: "published",
          recipients: [{ list_id: "all" }],
          instructions: {
            content: { title: "Hello", body: "World" },
            routing: { method: "single", channels: ["inbox"] }
          }
        })
        yield* turns(count)
        yield* TestClock.adjust(1)
        yield* pass(100, 5)
        yield* pass(30, 1_000)
        const log = yield* cluster.expansions
        const { messages, state } = yield* log.find(world.scope, id)
        assert.deepStrictEqual([state, messages, sent.has(suspect.id)], ["COMPLETED", people, true])
      }).pipe(
        Effect.scoped,
        Effect.provideService(Paging.PageSize, 200),
        Effect.provide(memory.shared)
      )
  )
})
