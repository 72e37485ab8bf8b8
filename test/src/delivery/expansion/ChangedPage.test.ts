import type { MessageId } from "#schemas/MessageId.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const away = Effect.fail(new StoreUnavailable({ cause: "away" }))

/** A store that takes no pages, or no steps, for as long as it is told so. */
const storing = (refuses: { readonly pages: () => boolean; readonly steps: () => boolean }) => {
  const pages = Effect.map(Expansions, (expansions) =>
    Expansions.of({
      ...expansions,
      advance: (step) => Effect.suspend(() => step.page && refuses.pages() ? away : expansions.advance(step))
    }))
  const steps = Effect.map(Journal, (journal) =>
    Journal.of({
      ...journal,
      record: (step) => Effect.suspend(() => refuses.steps() ? away : journal.record(step))
    }))
  return Layer.mergeAll(Layer.effect(Expansions, pages), Layer.effect(Journal, steps)).pipe(
    Layer.provideMerge(memory.node)
  )
}

const everyShard = Array.from({ length: 64 }, (_, shard) => shard)

describe("A page that is made again, since it could not be stored, when its list has changed", () => {
  it.effect("P1: whoever is in the list by then has a message, and nobody else, though some were begun before", () =>
    Effect.gen(function*() {
      let takesPages = true
      let takesSteps = true
      let members = ["ada", "bob"]
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(storing({ pages: () => !takesPages, steps: () => !takesSteps }))
      const sent = new Map<unknown, MessageId>()
      const node = yield* cluster.start({
        shards: [place.shard, ...everyShard],
        members: {
          exists: () => Effect.succeed(true),
          page: (_scope, _source, { after }) =>
            Effect.succeed(after === undefined ? members.map((userId) => ({ group: "", userId, listId: "l" })) : [])
        },
        vendors: () => [{
          _tag: "Vendor",
          key: "mail",
          channel: "email",
          reaches: () => true,
          send: ({ messageId, profile }) =>
            Effect.sync(() => {
              sent.set(profile["user_id"], messageId)
              return { reference: undefined }
            })
        }]
      })
      const pass = (seconds: number) =>
        Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), cluster.settle), { times: seconds * 10 })
      yield* pass(1)
      const { id, instructions, keyState } = Fixture.message(place)
      takesPages = false
      takesSteps = false
      yield* node.expand({
        id,
        scope: place.scope,
        shard: place.shard,
        keyState,
        recipients: [{ list_id: "l" }],
        instructions
      })
      yield* pass(2)
      members = ["bob", "cleo"]
      takesPages = true
      yield* pass(5)
      takesSteps = true
      yield* pass(5)
      assert.sameMembers([...sent.keys()], ["bob", "cleo"])
      const log = yield* MessageLog
      for (const [who, messageId] of sent) {
        const { recipient, status } = yield* log.get(place.scope, messageId)
        assert.deepStrictEqual([recipient, status], [who, "SENT"])
      }
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
