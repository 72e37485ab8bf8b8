import * as Devices from "#layers/providers/Devices.ts"
import { ContentRejected, RateLimited, RecipientRejected, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import { mostReachable } from "#src/people/DeviceTokens.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Ref } from "effect"

describe("Devices", () => {
  const gone = new RecipientRejected({ detail: "gone", invalidates: true })
  const other = new RecipientRejected({ detail: "other", invalidates: false })
  it.effect("one device that takes the message makes it accepted", () =>
    Effect.gen(function*() {
      const accepted = yield* Devices.each(["a", "b"], (to) =>
        to === "a" ? Effect.fail(gone) : Effect.succeed({ reference: to }))
      assert.strictEqual(accepted.reference, "b")
    }))

  it.effect("where none takes it, what may have been sent decides, then what may be sent later", () =>
    Effect.gen(function*() {
      const errors = {
        gone,
        other,
        content: new ContentRejected({ detail: "content" }),
        down: new Unavailable({ detail: "down" }),
        slow: new RateLimited({ detail: "slow" }),
        unknown: new Unknown({ detail: "unknown" })
      }
      const isKey = (name: string): name is keyof typeof errors => name in errors
      const outcome = (...names: ReadonlyArray<string>) =>
        Effect.flip(Devices.each(names, (name) => isKey(name) ? Effect.fail(errors[name]) : Effect.die(name)))
      assert.strictEqual((yield* outcome("gone", "unknown", "slow"))._tag, "Unknown")
      assert.strictEqual((yield* outcome("gone", "down", "slow"))._tag, "RateLimited")
      assert.strictEqual((yield* outcome("gone", "down", "content"))._tag, "Unavailable")
      assert.deepInclude(yield* outcome("gone", "gone"), { _tag: "RecipientRejected", invalidates: true })
      assert.deepInclude(yield* outcome("gone", "other"), { _tag: "RecipientRejected", invalidates: false })
    }))

  it.effect("no address is a refusal, and no more are tried than a user has that are sent to", () =>
    Effect.gen(function*() {
      const none = yield* Effect.exit(Devices.each([], () => Effect.succeed({ reference: undefined })))
      assert.isTrue(Exit.isFailure(none))
      const tried = yield* Ref.make(0)
      yield* Effect.exit(
        Devices.each(
          Array.from({ length: mostReachable + 1 }, (_, index) => index),
          () => Effect.andThen(Ref.update(tried, (n) => n + 1), Effect.fail(gone))
        )
      )
      assert.strictEqual(yield* Ref.get(tried), mostReachable)
    }))

  it.effect("of one recipient, four are called at a time: so many connections a call has at most", () =>
    Effect.gen(function*() {
      let [under, most] = [0, 0]
      const call = Effect.suspend(() => {
        most = Math.max(most, ++under)
        return Effect.as(Effect.yieldNow, { reference: undefined })
      }).pipe(Effect.ensuring(Effect.sync(() => under--)))
      yield* Devices.each(Array.from({ length: 20 }, (_, index) => index), () => call)
      assert.strictEqual(most, 4)
    }))

  it("tokens are texts, each once", () => {
    assert.deepStrictEqual(Devices.tokens(["a", "", 1, "b", "a"]), ["a", "b"])
    assert.deepStrictEqual(Devices.tokensOf({ token: "a", tokens: ["b", "a"] }), ["a", "b"])
    assert.deepStrictEqual(Devices.tokensOf("a"), [])
  })

  it("in a list, a token may stand in an object, as the published client has it", () => {
    const listed = [{ token: "a" }, "b", { token: "" }, { token: 1 }, {}, null, { token: "b" }]
    assert.deepStrictEqual(Devices.tokensOf({ tokens: listed }), ["a", "b"])
    assert.deepStrictEqual(Devices.tokens(listed), ["a", "b"])
    assert.deepStrictEqual(Devices.tokens({ token: "a" }), [])
  })
})
