import { NothingToSay } from "#src/content/Content.ts"
import { inTime, show } from "#src/delivery/rehearsals/Shown.ts"
import * as Patience from "#src/store/Patience.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const mail = { channel: "email", provider: "sendgrid" }
const nothing = new NothingToSay({ detail: "nothing" })

describe("What is shown", () => {
  it.effect("may take longer than a caller waits for a silent store, since a compiler may have to be loaded", () =>
    Effect.gen(function*() {
      const patiently = yield* Patience.within(Patience.callers)
      const slow = show(mail, Effect.delay(nothing, "7 seconds"))
      const showing = yield* Effect.forkChild(patiently(slow))
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual((yield* Fiber.join(showing)).error, "nothing")
    }))

  it.effect("is shown within 10 s, or the caller is told to come back", () =>
    Effect.gen(function*() {
      const showing = yield* Effect.forkChild(Effect.flip(inTime(show(mail, Effect.never))))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(showing))._tag, "StoreUnavailable")
    }))
})
