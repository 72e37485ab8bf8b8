import {
  type DeliveryError,
  Misconfigured,
  RateLimited,
  RecipientRejected,
  Unavailable
} from "#schemas/DeliveryError.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Complaints from "#src/delivery/attempts/Complaints.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

/** What the log says while a message a second, ten of them, goes through a provider that answers each of its calls like this. */
const heard = Effect.fnUntraced(function*(error: DeliveryError, more: Partial<Vendor> = {}) {
  const lines: Array<string> = []
  const listening = Logger.layer([Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${JSON.stringify(message)}`)
  })])
  const place = yield* EngineNode.place
  const fake = yield* Fake.make({
    key: "mail",
    channel: "email",
    script: Array.makeBy(200, () => ({ _tag: "Fail" as const, error }))
  })
  yield* Effect.gen(function*() {
    const cluster = yield* EngineNode.make(memory.node)
    const node = yield* cluster.start({ shards: [place.shard], vendors: () => [{ ...fake.vendor, ...more }] })
    for (let n = 0; n < 10; n++) {
      const id = Fixture.id(place.at)
      yield* node.accept(
        Fixture.message(place, {
          id,
          requestId: id,
          recipientKey: `${place.scope}:${id}`,
          recipient: { email: "ada@example.com" },
          instructions: {
            content: { title: "Hello", body: "World" },
            routing: { method: "single", channels: ["email"] }
          }
        })
      )
      yield* cluster.settle
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) + 1_000)
    }
    yield* cluster.settle
  }).pipe(Effect.provide(listening))
  return { lines, calls: (yield* fake.calls).length }
}, (effect) => effect.pipe(Effect.scoped, Effect.provide(memory.shared)))

const words = "535 no login for shop@example.com"

describe("Complaints", () => {
  it.effect("a provider that refuses its settings is one line a minute, with a message to look at and none of its words", () =>
    Effect.gen(function*() {
      const { calls, lines } = yield* heard(new Misconfigured({ detail: words }))
      assert.isAtLeast(calls, 10)
      assert.strictEqual(lines.length, 1, lines.join("\n"))
      assert.match(
        lines[0] ?? "",
        /^Error .*a provider refuses its settings; tidings trace 1-[0-9a-f]{8}-[0-9a-f]{24} /
      )
      assert.include(lines[0], `"channel":"email","provider":"mail"`)
      assert.notInclude(lines[0], "example.com")
    }))

  it.effect("so is one that is left alone for failing", () =>
    Effect.gen(function*() {
      const { lines } = yield* heard(new Unavailable({ detail: words }))
      assert.strictEqual(lines.length, 1, lines.join("\n"))
      assert.match(lines[0] ?? "", /^Warn .*a provider fails and is left alone for a while; .*"kind":"Unavailable"/)
      assert.notInclude(lines[0], "example.com")
    }))

  it.effect("one that takes no more for now is a line once a message comes to its rate gate, but not a recipient's own server", () =>
    Effect.gen(function*() {
      const limited = new RateLimited({ detail: words })
      const { lines } = yield* heard(limited)
      const [line = ""] = lines
      assert.match(line, /^Warn .*a provider takes no more for now, and is called at the rate that it takes/)
      assert.match(line, /"environment":"(?:production|test)","channel":"email","provider":"mail"/)
      assert.lengthOf(lines.filter((other) => other.includes("takes no more")), 1)
      assert.deepStrictEqual((yield* heard(limited, { serverOf: () => "https://busy.example" })).lines, [])
    }))

  it.effect("a recipient who is refused, and a recipient's own server, are nothing to tell of", () =>
    Effect.gen(function*() {
      const refused = yield* heard(new RecipientRejected({ detail: words }))
      const own = yield* heard(new Misconfigured({ detail: words }), { serverOf: () => "https://dead.example" })
      assert.deepStrictEqual([...refused.lines, ...own.lines], [])
      assert.isAtLeast(Math.min(refused.calls, own.calls), 10)
    }))

  it.effect("the configuration's own server is told of, though messages may name another", () =>
    Effect.gen(function*() {
      const { lines } = yield* heard(new Misconfigured({ detail: words }), { serverOf: () => undefined })
      assert.strictEqual(lines.length, 1, lines.join("\n"))
    }))

  it.effect("each configuration of each environment is told of by itself, and again once a minute is over", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const { vendor } = yield* Fake.make({ key: "mail", channel: "email" })
      const complain = Complaints.make()
      const attempt = Fixture.attempt(1, "rejected", { provider: "mail", kind: "Misconfigured" })
      const complaint = { scope: Scope.make(1), messageId: Fixture.id(0), vendor, server: undefined, attempt, now: 0 }
      const told = Effect.fnUntraced(function*(different: Partial<Complaints.Complaint>) {
        const before = lines.length
        yield* complain({ ...complaint, openUntil: undefined, ...different })
        return lines.length - before
      }, Effect.provide(Logger.layer([Logger.make(() => void lines.push("line"))])))
      assert.strictEqual(yield* told({}), 1)
      for (let n = 0; n < 999; n++) yield* told({ scope: Scope.make(n + 3) })
      assert.strictEqual(yield* told({}), 0)
      yield* told({ scope: Scope.make(1_002) })
      assert.strictEqual(yield* told({}), 1, "a thousand others later it is forgotten that it was told")
      const others: ReadonlyArray<Partial<Complaints.Complaint>> = [
        { scope: Scope.make(2) },
        { attempt: { ...attempt, channel: "sms" } },
        { attempt: { ...attempt, provider: "another" } },
        { vendor: { ...vendor, version: "changed" } }
      ]
      for (const other of others) assert.deepStrictEqual([yield* told(other), yield* told(other)], [1, 0])
      assert.deepStrictEqual([yield* told({ now: 59_999 }), yield* told({ now: 60_000 })], [0, 1])
      // Who was told that it is left alone does not know that it wants other settings, nor the other way round.
      const failing = { attempt: { ...attempt, kind: "Unavailable" as const, provider: "failing" }, openUntil: 1 }
      const refusing = { attempt: { ...attempt, provider: "failing" }, openUntil: 1 }
      for (const words of [failing, refusing]) assert.deepStrictEqual([yield* told(words), yield* told(words)], [1, 0])
    }))
})
