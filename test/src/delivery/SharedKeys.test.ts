import { Unavailable } from "#schemas/DeliveryError.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("One key of providers in two channels", () => {
  it.effect("is two providers: each is called in its own channel, with what that shows", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const script = [{ _tag: "Fail" as const, error: new Unavailable({ detail: "down" }) }]
      const mail = yield* Fake.make({ key: "twin", channel: "email", script })
      const text = yield* Fake.make({ key: "twin", channel: "sms", script })
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [mail.vendor, text.vendor] })
      yield* node.accept(Fixture.message(place, {
        recipient: { email: "ada@example.com", phone_number: "+14155550123" },
        instructions: {
          content: { title: "Hello", body: "World" },
          routing: { method: "all", channels: ["email", "sms"] }
        }
      }))
      yield* cluster.finish([place.shard])
      const tokens = [...yield* mail.calls, ...yield* text.calls].map(({ idempotencyToken }) => idempotencyToken)
      assert.deepStrictEqual(tokens, [tokens[0], tokens[0], tokens[2], tokens[2]], "P4: a repeat is known as one")
      assert.notStrictEqual(tokens[0], tokens[2])
      const seen = (calls: Effect.Success<typeof mail.calls>) =>
        calls.map(({ channel, rendered }) => [channel, rendered.subject])
      assert.deepStrictEqual(seen(yield* mail.calls), [["email", "Hello"], ["email", "Hello"]])
      assert.deepStrictEqual(seen(yield* text.calls), [["sms", ""], ["sms", ""]])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
