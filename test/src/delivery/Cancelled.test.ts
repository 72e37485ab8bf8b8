import type { Instructions } from "#schemas/SendMessage.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

/** A store in which each message is cancelled a moment before the first step of its run. */
const cancelling = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) => ({
    ...journal,
    record: (step) =>
      Effect.andThen(
        journal.observe({
          scope: step.message.scope,
          id: step.message.id,
          event: "Cancel",
          history: { type: "CANCELED", ts: step.at }
        }).pipe(Effect.orDie),
        journal.record(step)
      )
  }))
).pipe(Layer.provideMerge(memory.node))

describe("A message that is cancelled while it is in hand", () => {
  const ways: ReadonlyArray<readonly [string, Instructions]> = [
    ["a call", {}],
    ["a rendering that fails", { content: { title: "t", body: "{{#if}}" } }],
    ["addresses that cannot be filled in", { channels: { email: { override: { cc: "{{#if}}" } } } }],
    ["a refusal", { routing: { method: "single", channels: ["sms"] } }]
  ]
  for (const [way, more] of ways) {
    it.effect(`P6: stays cancelled, and nobody is called: before ${way}`, () =>
      Effect.gen(function*() {
        const place = yield* EngineNode.place
        const cluster = yield* EngineNode.make(cancelling)
        const provider = yield* Fake.make({ key: "mail", channel: "email" })
        const node = yield* cluster.start({ shards: [place.shard], vendors: () => [provider.vendor] })
        yield* cluster.settle
        const id = Fixture.id(place.at)
        const instructions = { content: { title: "t", body: "b" }, ...more }
        const recipient = { email: "ada@example.com" }
        yield* node.accept(Fixture.message(place, { id, requestId: id, recipient, instructions }))
        yield* cluster.finish([place.shard])
        assert.deepStrictEqual(yield* provider.calls, [])
        const log = yield* MessageLog
        assert.strictEqual((yield* log.get(place.scope, id)).status, "CANCELED")
        assert.deepStrictEqual(yield* log.attempts(place.scope, id), [])
        const lines = (yield* log.history(place.scope, id)).map(({ type }) => type)
        assert.deepStrictEqual(lines.filter((type) => type !== "ENQUEUED"), ["CANCELED"])
      }).pipe(Effect.scoped, Effect.provide(memory.shared)))
  }
})
