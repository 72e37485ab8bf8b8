import * as Found from "#layers/providers/Found.ts"
import { delivery, outcomeOf, play, replying } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

describe("what look-ups found", () => {
  it.effect("is kept for an hour; a failure is asked about again", () =>
    Effect.gen(function*() {
      const known = yield* Found.make
      let asked = 0
      const answered = known("one", Effect.sync(() => `${++asked}`))
      assert.deepStrictEqual(yield* Effect.all([answered, answered]), ["1", "1"])
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* answered, "1")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* answered, "2")
      assert.strictEqual(yield* Effect.flip(known("two", Effect.fail("none"))), "none")
      assert.strictEqual(yield* known("two", Effect.succeed("found")), "found")
    }))

  it.effect("is kept no longer where the clock was ahead and is set back", () =>
    Effect.gen(function*() {
      const known = yield* Found.make
      yield* TestClock.setTime(365 * 86_400_000)
      assert.strictEqual(yield* known("one", Effect.succeed("old")), "old")
      yield* TestClock.setTime(0)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* known("one", Effect.succeed("new")), "new")
    }))

  it.effect("is of the last 10,000 questions", () =>
    Effect.gen(function*() {
      const known = yield* Found.make
      const ask = (question: number) => known(`${question}`, Effect.succeed("old"))
      yield* Effect.forEach(Array.from({ length: 10_001 }, (_, question) => question), ask, { discard: true })
      assert.strictEqual(yield* known("0", Effect.succeed("new")), "new")
      assert.strictEqual(yield* known("10000", Effect.succeed("new")), "old")
    }))

  it.live("Slack is asked once who has an address, by each token, for it answers 50 a minute", () =>
    Effect.gen(function*() {
      const row = Chat.slack
      const { server, vendor } = yield* play(row, replying(row))
      const lookups = () => server.seen.filter(({ path }) => path.startsWith("/users.lookupByEmail")).length
      const send = (email: string, access_token = "xoxb-one") =>
        Effect.map(
          Effect.result(vendor.send(delivery(row, { profile: { slack: { email, access_token } } }))),
          outcomeOf
        )
      const twice = [send("ann@example.com"), send("ann@example.com")]
      assert.deepStrictEqual(yield* Effect.all(twice), ["Accepted", "Accepted"])
      assert.strictEqual(lookups(), 1)
      yield* send("bob@example.com")
      yield* send("ann@example.com", "xoxb-other")
      assert.strictEqual(lookups(), 3)
    }).pipe(Effect.scoped))

  it.live("a person's channel of Discord is opened once: who opens many is limited", () =>
    Effect.gen(function*() {
      const row = Chat.discord
      const { server, vendor } = yield* play(row, replying(row))
      const send = Effect.map(Effect.result(vendor.send(delivery(row))), outcomeOf)
      assert.deepStrictEqual(yield* Effect.all([send, send]), ["Accepted", "Accepted"])
      assert.strictEqual(server.seen.filter(({ path }) => path.endsWith("/users/@me/channels")).length, 1)
    }).pipe(Effect.scoped))
})
