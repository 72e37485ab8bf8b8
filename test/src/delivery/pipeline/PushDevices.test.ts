import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import { DeadAddresses } from "#src/delivery/pipeline/DeadAddresses.ts"
import * as PushDevices from "#src/delivery/pipeline/PushDevices.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { DeviceTokens, type Reachable } from "#src/people/DeviceTokens.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Schema } from "effect"
import { TestClock } from "effect/testing"

const registered: ReadonlyArray<Reachable> = [
  { provider: "firebase-fcm", token: "f2" },
  { provider: "apn", token: "a2" },
  { provider: "expo", token: "e2" },
  { provider: "expo", token: "e3" }
]

const fcm: Provider = { ...Fake.nothing("firebase-fcm", "push"), names: ["mobile", "pc_1"] }
const mail = Fake.nothing("smtp", "email")

/** The profile that a message with this routing is given, and whether its user's tokens were looked up. */
const given = Effect.fnUntraced(function*(
  routing: Instructions["routing"],
  configured: ReadonlyArray<Provider> = [mail, fcm],
  recipient: Recipient = { user_id: "ada" }
) {
  let asked = 0
  const { at, scope, shard } = yield* Fixture.world
  const message = { ...Fixture.message({ at, scope, shard }), recipient, instructions: { routing } }
  const { added } = yield* PushDevices.make.pipe(Effect.provide(Layer.mock(DeviceTokens, {
    reachable: () =>
      Effect.sync(() => {
        asked++
        return registered
      })
  })))
  const profile: Schema.JsonObject = yield* added(message, configured, { email: "a@example.com" })
  return { asked, profile }
})

const single = (...channels: ReadonlyArray<string>) => ({ method: "single" as const, channels })

describe("PushDevices", () => {
  it("tokens stand beside the profile's own, each where its provider looks", () => {
    assert.deepStrictEqual(
      PushDevices.withTokens({ firebaseToken: "f1", apn: { token: "a1", x: 1 }, expo: { tokens: ["e1"] } }, registered),
      { firebaseToken: ["f1", "f2"], apn: { token: "a1", x: 1, tokens: ["a2"] }, expo: { tokens: ["e1", "e2", "e3"] } }
    )
    assert.deepStrictEqual(PushDevices.withTokens({ firebaseToken: ["f1"], apn: "bare" }, registered), {
      firebaseToken: ["f1", "f2"],
      apn: { tokens: ["a2"] },
      expo: { tokens: ["e2", "e3"] }
    })
    assert.deepStrictEqual(PushDevices.withTokens({ apn: { token: "a1" } }, []), { apn: { token: "a1" } })
    const players: ReadonlyArray<Reachable> = ["o2", "o3"].map((token) => ({ provider: "onesignal", token }))
    assert.deepStrictEqual(PushDevices.withTokens({}, players), { oneSignalPlayerID: "o2" })
    assert.deepStrictEqual(PushDevices.withTokens({ oneSignalPlayerID: "o1" }, players), { oneSignalPlayerID: "o1" })
  })

  it.effect("a message that may reach push gets them", () =>
    Effect.gen(function*() {
      const nested = { method: "all" as const, channels: ["email", single("sms", "push")] }
      const routings = [undefined, null, single("email", "push"), single("mobile"), single("firebase-fcm"), nested, {
        method: "single" as const,
        channels: [{ channel: "push" }]
      }, { method: "single" as const, channels: [{ provider: "pc_1" }] }]
      for (const routing of routings) {
        const { asked, profile } = yield* given(routing)
        assert.strictEqual(asked, 1, JSON.stringify(routing))
        assert.deepStrictEqual(profile["firebaseToken"], ["f2"])
        assert.strictEqual(profile["email"], "a@example.com")
      }
    }))

  it.effect("no other message asks for them", () =>
    Effect.gen(function*() {
      const others = [
        yield* given(single("email", "smtp")),
        yield* given({ method: "all", channels: [{ channel: "email" }, { provider: "smtp" }, single("inbox")] }),
        yield* given(single("push"), [mail]),
        yield* given(single("push"), [mail, fcm], { email: "a@example.com" })
      ]
      for (const { asked, profile } of others) {
        assert.strictEqual(asked, 0)
        assert.deepStrictEqual(profile, { email: "a@example.com" })
      }
    }))

  it.effect("a message waits 2 s at most for a dead token to be marked, and goes on though it cannot be", () =>
    Effect.gen(function*() {
      const scope = Scope.make(7)
      const marked: Array<ReadonlyArray<unknown>> = []
      const stores = {
        well: (...args: ReadonlyArray<unknown>) => Effect.sync(() => void marked.push(args)),
        away: () => Effect.fail(new StoreUnavailable({ cause: "away" })),
        // Interrupting a statement on a silent connection waits for its cancellation.
        silent: () => Effect.onInterrupt(Effect.never, () => Effect.sleep("5 seconds"))
      }
      for (const invalidate of [stores.well, stores.away, stores.silent]) {
        const tell = Effect.gen(function*() {
          const died = yield* DeadAddresses
          const telling = yield* Effect.forkChild(died({ scope, provider: "expo", address: "e1", detail: "gone" }))
          yield* TestClock.adjust("2 seconds")
          assert.isDefined(telling.pollUnsafe())
          yield* Fiber.join(telling)
          yield* TestClock.adjust("5 seconds")
        })
        yield* Effect.provide(tell, Layer.provide(PushDevices.marking, Layer.mock(DeviceTokens, { invalidate })))
      }
      assert.deepStrictEqual(marked, [[scope, "expo", "e1", "gone"]])
    }))
})
