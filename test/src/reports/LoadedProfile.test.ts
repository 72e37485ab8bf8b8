import type { Recipient } from "#schemas/Recipient.ts"
import { UserId } from "#schemas/Profile.ts"
import * as LoadedProfile from "#src/reports/LoadedProfile.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const loaded = yield* LoadedProfile.make
  const profiles = yield* Profiles
  const sent = (recipient: Recipient) =>
    Effect.flatMap(Clock.currentTimeMillis, (enqueued) => {
      const original = { keyState: "published" as const, recipient, instructions: {} }
      return Effect.succeed(loaded(scope, original, { ...Fixture.record(), enqueued }))
    })
  const write = (profile: object) => profiles.replace(scope, UserId.make("ada"), { ...profile })
  return { sent, write, forget: profiles.remove(scope, UserId.make("ada")) }
})

describe("The profile that a message was sent with", () => {
  it.effect("is known until it is written again, or its user is forgotten", () =>
    Effect.gen(function*() {
      const { forget, sent, write } = yield* start
      yield* write({ email: "old@example.com" })
      const first = yield* sent({ user_id: "ada" })
      assert.deepStrictEqual(yield* first, { email: "old@example.com" })
      yield* TestClock.adjust("1 second")
      yield* write({ email: "new@example.com" })
      assert.isUndefined(yield* first)
      const second = yield* sent({ user_id: "ada" })
      assert.deepStrictEqual(yield* second, { email: "new@example.com" })
      yield* forget
      assert.isUndefined(yield* second)
    }).pipe(Effect.provide(Stores.layer)))

  it.effect("is nobody's of an address, and left out if it is too long to be shown", () =>
    Effect.gen(function*() {
      const { sent, write } = yield* start
      yield* write({ text: "x".repeat(LoadedProfile.longest) })
      assert.isUndefined(yield* Effect.flatten(sent({ user_id: "ada" })))
      assert.isUndefined(yield* Effect.flatten(sent({ email: "ada@example.com" })))
    }).pipe(Effect.provide(Stores.layer)))
})
