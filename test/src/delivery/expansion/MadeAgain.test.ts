import type { MessageId } from "#schemas/MessageId.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal, type StepResult } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

type Wait = (answered: StepResult | undefined) => Effect.Effect<void, StoreUnavailable>

const away = Effect.fail(new StoreUnavailable({ cause: "away" }))

/** A store that takes pages only if it is told so, and whose steps wait before they are written (`undefined`), or for their answers. */
const storing = (takes: (step: Advance) => boolean, wait: Wait) => {
  const pages = Effect.map(Expansions, (expansions) =>
    Expansions.of({
      ...expansions,
      advance: (step) => Effect.suspend(() => takes(step) ? expansions.advance(step) : away)
    }))
  const steps = Effect.map(Journal, (journal) =>
    Journal.of({
      ...journal,
      record: (step) => Effect.tap(Effect.andThen(wait(undefined), journal.record(step)), wait)
    }))
  return Layer.mergeAll(Layer.effect(Expansions, pages), Layer.effect(Journal, steps)).pipe(
    Layer.provideMerge(memory.node)
  )
}

const everyShard = Array.from({ length: 64 }, (_, shard) => shard)

/** A node that sends to a list, of which no page is stored in the first two seconds. */
const sending = Effect.fnUntraced(function*(wait: Wait) {
  let members = ["ada", "bob"]
  let takesPages = false
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(storing(({ page }) => page === undefined || takesPages, (step) => wait(step)))
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
  // Not `settle`, which waits for every answer of the store.
  const turns = Effect.promise(async () => {
    for (let turn = 0; turn < 20; turn++) await setImmediate()
  })
  const pass = (seconds: number) =>
    Effect.repeat(Effect.andThen(TestClock.adjust("100 millis"), turns), { times: seconds * 10 })
  yield* pass(1)
  const { id, instructions, keyState } = Fixture.message(place)
  const { scope, shard } = place
  yield* node.expand({ id, scope, shard, keyState, recipients: [{ list_id: "l" }], instructions })
  yield* pass(2)
  return {
    sent,
    pass,
    /** Pages are stored from now on, of those who are in the list by now. */
    store: (by: ReadonlyArray<string>) => {
      members = [...by]
      takesPages = true
    },
    told: Effect.gen(function*() {
      const log = yield* MessageLog
      return yield* Effect.forEach(
        sent,
        ([, messageId]) => Effect.map(log.get(scope, messageId), ({ recipient, status }) => `${recipient} ${status}`)
      )
    })
  }
})

describe("A page that is made again, since it could not be stored", () => {
  it.effect("P1: whoever is in its list by then has a message, and nobody else, though some were begun before", () =>
    Effect.gen(function*() {
      let takesSteps = false
      const { pass, sent, store, told } = yield* sending(() => takesSteps ? Effect.void : away)
      store(["bob", "cleo"])
      yield* pass(5)
      takesSteps = true
      yield* pass(5)
      assert.sameMembers([...sent.keys()], ["bob", "cleo"])
      assert.sameMembers(yield* told, ["bob SENT", "cleo SENT"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("A5: is read at once where a message of it was in hand until then, and had heard that it is not stored", () =>
    Effect.gen(function*() {
      const heard = Latch.makeUnsafe()
      const { pass, sent, store } = yield* sending((result) => result?._tag === "Refused" ? heard.await : Effect.void)
      store(["ada", "bob"])
      yield* pass(5)
      assert.deepStrictEqual([...sent.keys()], [])
      yield* heard.open
      yield* pass(1)
      assert.sameMembers([...sent.keys()], ["ada", "bob"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
