import * as Signatures from "#src/reports/webhooks/Signatures.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { createHmac } from "node:crypto"

/** The example of standardwebhooks.com's specification and of its libraries' tests. */
const example = {
  secret: Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  at: 1_614_265_330_000,
  body: `{"test": 2432232314}`,
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
}

describe("Signatures", () => {
  it("are those of the published example", () => {
    assert.deepInclude(Signatures.headers([example.secret], example), {
      "webhook-id": example.id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": example.signature
    })
  })

  it("`courier-signature` is of the newest secret as it is written, over time and body (api.md 25.1)", () => {
    const secret = "it's my secret, 16+"
    const { "courier-signature": signature } = Signatures.headers(
      [Redacted.make(secret), example.secret],
      { id: "id", at: 1_631_816_343_012, body: "{\"é\":1}" }
    )
    const expected = createHmac("sha256", secret).update("1631816343012.{\"é\":1}").digest("hex")
    assert.strictEqual(signature, `t=1631816343012,signature=${expected}`)
  })

  it("while two secrets sign, there is a signature of each", () => {
    const other = Redacted.make("another secret of 16")
    const both = Signatures.headers([other, example.secret], example)["webhook-signature"]
    const alone = Signatures.headers([other], example)["webhook-signature"]
    assert.strictEqual(both, `${alone} ${example.signature}`)
  })

  it.effect.prop(
    "a changed body, id, time or secret is signed otherwise",
    { one: Schema.String, other: Schema.String },
    ({ one, other }) =>
      Effect.sync(() => {
        const of = (more: Partial<typeof example>) => {
          const changed = { ...example, ...more }
          return Signatures.headers([changed.secret], changed)["webhook-signature"]
        }
        // A lone surrogate has no bytes of its own.
        if (one.toWellFormed() === other.toWellFormed()) return
        assert.notStrictEqual(of({ body: one }), of({ body: other }))
        assert.notStrictEqual(of({ id: one }), of({ id: other }))
        assert.notStrictEqual(of({ body: one }), of({ body: one, secret: Redacted.make("another secret of 16") }))
        assert.notStrictEqual(of({}), of({ at: example.at + 1_000 }))
      })
  )
})
