import * as Fake from "#layers/providers/Fake.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("A provider for which the content cannot be rendered", () => {
  it.effect("leaves it to the next one to show what was sent", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const vendors = [Fake.nothing("mail-a", "email"), Fake.nothing("mail-b", "email")]
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => vendors })
      const message = Fixture.message(place, {
        instructions: {
          content: {
            version: "2022-01-01",
            elements: [
              { type: "text", content: "to whom it concerns" },
              { type: "text", channels: ["mail-a"], content: "no condition", if: "(" }
            ]
          },
          routing: { method: "single", channels: ["email"] },
          channels: { email: { routing_method: "all", providers: ["mail-a", "mail-b"] } }
        }
      })
      yield* node.accept(message)
      yield* cluster.settle
      const log = yield* MessageLog
      const attempts = yield* log.attempts(place.scope, message.id)
      assert.deepStrictEqual(attempts.map(({ kind, provider }) => [provider, kind]), [
        ["mail-a", "ContentRejected"],
        ["mail-b", null]
      ])
      const rendered = (yield* log.history(place.scope, message.id)).filter(({ type }) => type === "RENDERED")
      assert.deepStrictEqual(rendered.map(({ provider }) => provider), ["mail-b"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
