import { Misconfigured, Unavailable } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Timeline from "#src/reports/Timeline.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** A mail whose first provider answers with this, and what is told of it. */
const run = Effect.fnUntraced(function*(error: Misconfigured | Unavailable, instructions: Instructions) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const one = yield* Fake.make({ key: "mail-a", channel: "email", script: [{ _tag: "Fail", error }] })
  const two = yield* Fake.make({ key: "mail-b", channel: "email" })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [one.vendor, two.vendor] })
  const id = Fixture.id(place.at)
  yield* node.accept(
    Fixture.message(place, { id, requestId: id, recipient: { email: "ada@example.com" }, instructions })
  )
  yield* cluster.settle
  yield* TestClock.setTime(place.at + 60_000)
  yield* cluster.settle
  const calls = [...(yield* one.calls), ...(yield* two.calls)]
  const history = yield* MessageLog.use((log) => log.history(place.scope, id))
  return {
    given: calls.at(-1)?.rendered,
    calls: calls.length,
    rendered: history.filter(({ type }) => type === "RENDERED").map(({ provider }) => provider),
    outputs: Timeline.outputs(history)
  }
}, Effect.scoped)

const content = {
  version: "2022-01-01" as const,
  elements: [
    { type: "text" as const, channels: ["mail-a"], content: "by a" },
    { type: "text" as const, channels: ["mail-b"], content: "by b" }
  ]
}

describe("The output of a message", () => {
  it.effect("is what its last provider was given, not what the one before it was", () =>
    Effect.gen(function*() {
      const { given, outputs, rendered } = yield* run(new Misconfigured({ detail: "no" }), { content })
      assert.deepStrictEqual(rendered, ["mail-a", "mail-b"])
      assert.strictEqual(outputs[0]?.content.text, given?.text)
      assert.include(given?.text, "by b")
    }).pipe(Effect.provide(memory.shared)))

  it.effect("is told once where a retry says the same", () =>
    Effect.gen(function*() {
      const { calls, rendered } = yield* run(new Unavailable({ detail: "no" }), { content })
      assert.deepStrictEqual([calls, rendered], [2, ["mail-a"]])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("says what an e-mail's override says in place of the content", () =>
    Effect.gen(function*() {
      const { outputs } = yield* run(new Misconfigured({ detail: "no" }), {
        content,
        channels: { email: { override: { subject: "Overridden" } } },
        providers: { "mail-b": { override: { html: "<p>by hand</p>" } } }
      })
      assert.deepInclude(outputs[0]?.content, { subject: "Overridden", html: "<p>by hand</p>" })
      assert.include(outputs[0]?.content.text, "by b")
    }).pipe(Effect.provide(memory.shared)))
})
