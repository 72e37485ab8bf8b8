import { Journal } from "#src/delivery/Journal.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** A method whose first call ends as a shared one does whose caller went away, or that of a pool which is being closed. */
const interrupted = <Args extends ReadonlyArray<unknown>, A, E>(method: (...args: Args) => Effect.Effect<A, E>) => {
  let called = 0
  return (...args: Args): Effect.Effect<A, E> =>
    Effect.suspend(() => called++ === 0 ? Effect.interrupt : method(...args))
}

const stores = {
  "a step": Layer.effect(
    Profiles,
    Effect.map(Profiles, (profiles) => ({ ...profiles, person: interrupted(profiles.person) }))
  ).pipe(Layer.provideMerge(memory.node)),
  "the taking of a shard": Layer.effect(
    Journal,
    Effect.map(Journal, (journal) => ({ ...journal, take: interrupted(journal.take) }))
  ).pipe(Layer.provideMerge(memory.node))
}

describe("What is interrupted from within", () => {
  for (const [what, store] of Object.entries(stores)) {
    it.effect(`A5: ${what} is done again, and no message waits for it for ever`, () =>
      Effect.gen(function*() {
        const world = yield* Fixture.world
        yield* TestClock.setTime(world.at)
        const cluster = yield* EngineNode.make(store)
        const sent: Array<string> = []
        const node = yield* cluster.start({
          shards: [world.shard],
          vendors: () => [{
            _tag: "Vendor",
            key: "vendor",
            channel: "email",
            reaches: () => true,
            send: ({ messageId }) =>
              Effect.sync(() => {
                sent.push(messageId)
                return { reference: undefined }
              })
          }]
        })
        yield* cluster.settle
        const recipient = { user_id: "ada", email: "ada@example.com" }
        const messages = [1, 2].map(() => Fixture.message(world, { recipient }))
        for (const message of messages) yield* node.accept(message)
        yield* cluster.settle
        yield* TestClock.adjust("61 seconds")
        yield* cluster.settle
        assert.sameMembers(sent, messages.map(({ id }) => id))
      }).pipe(Effect.provide(memory.shared)))
  }
})
