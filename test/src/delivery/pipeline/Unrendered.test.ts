import * as Fake from "#layers/providers/Fake.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** What the first of two providers cannot be given. */
const faults: Readonly<Record<string, Instructions>> = {
  content: {
    content: {
      version: "2022-01-01",
      elements: [
        { type: "text", content: "to whom it concerns" },
        { type: "text", channels: ["mail-a"], content: "no condition", if: "(" }
      ]
    }
  },
  override: {
    content: { title: "Hello", body: "World" },
    providers: { "mail-a": { override: { cc: "{{#if}}" } } }
  }
}

describe("A provider for which something cannot be rendered", () => {
  for (const [what, instructions] of Object.entries(faults)) {
    it.effect(`${what}: is not called, and leaves it to the next one to show what was sent`, () =>
      Effect.gen(function*() {
        const place = yield* EngineNode.place
        const cluster = yield* EngineNode.make(memory.node)
        const one = yield* Fake.make({ key: "mail-a", channel: "email" })
        const two = yield* Fake.make({ key: "mail-b", channel: "email" })
        const node = yield* cluster.start({ shards: [place.shard], vendors: () => [one.vendor, two.vendor] })
        const message = Fixture.message(place, {
          instructions: {
            ...instructions,
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
        assert.deepStrictEqual([(yield* one.calls).length, (yield* two.calls).length], [0, 1])
        const rendered = (yield* log.history(place.scope, message.id)).filter(({ type }) => type === "RENDERED")
        assert.deepStrictEqual(rendered.map(({ attempt, provider }) => [attempt, provider]), [[2, "mail-b"]])
      }).pipe(Effect.scoped, Effect.provide(memory.shared)))
  }
})
