import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as PushDevices from "#src/delivery/pipeline/PushDevices.ts"
import { DeviceTokens, type Reachable } from "#src/people/DeviceTokens.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Schema } from "effect"

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
})
