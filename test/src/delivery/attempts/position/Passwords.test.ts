import { position } from "#src/delivery/attempts/Position.ts"
import {
  atOf,
  attempt,
  candidate,
  channel,
  first,
  nextOf,
  plan,
  second,
  situation,
  text
} from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const minute = 60_000
const hold = 15 * minute

/** Five minutes a provider and thirty a channel, as every message has them that says nothing else. */
const mails = channel("email", [{ ...first, timeout: 5 * minute }, { ...second, timeout: 5 * minute }])
const usual = plan("single", [{ ...mails, timeout: 30 * minute }, channel("sms", [text])])

const password = (now: number) => situation(now, { unknownWait: hold })
const lost = attempt(1, first, "unknown", 0, "Unknown")

describe("Position: a one-time password of which nobody knows whether it was sent", () => {
  it("waits for its receipt, also where that takes longer than a provider has", () => {
    for (const now of [0, hold - 1]) {
      const found = position(usual, [lost], password(now))
      assert.deepStrictEqual([nextOf(found), atOf(found)], [["email", "one"], hold])
    }
  })

  it("then goes to the same provider, and to the next one when that one fails again", () => {
    assert.deepStrictEqual(nextOf(position(usual, [lost], password(hold))), ["email", "one"])
    const refused = attempt(2, first, "rejected", hold + 5 * minute, "Unavailable")
    assert.deepStrictEqual(nextOf(position(usual, [lost, refused], password(hold + 5 * minute))), ["email", "two"])
  })

  it("waits again after a second call of that kind, and then its provider's time is over", () => {
    const again = [lost, attempt(2, first, "unknown", hold, "Unknown")]
    assert.strictEqual(atOf(position(usual, again, password(hold))), 2 * hold)
    assert.deepStrictEqual(nextOf(position(usual, again, password(2 * hold))), ["email", "two"])
  })

  it("leaves its provider the time that it has for answers, beside the wait for one receipt, and no more", () => {
    const refused = (number: number, at: number) => attempt(number, first, "rejected", at, "Unavailable")
    const soon = [lost, refused(2, hold + minute)]
    assert.deepStrictEqual(nextOf(position(usual, soon, password(hold + minute))), ["email", "one"])
    const tired = [refused(1, 0), refused(2, 5 * minute)]
    assert.deepStrictEqual(nextOf(position(usual, tired, password(5 * minute))), ["email", "two"])
  })

  it("goes on where its channel has bounced, although nobody knows of the repeat in there", () => {
    const bounced = attempt(1, first, "accepted", 0, "RecipientRejected")
    const again = attempt(2, first, "unknown", hold, "Unknown")
    assert.deepStrictEqual(nextOf(position(usual, [bounced, again], password(hold))), ["sms", "three"])
  })

  it("is not given to another provider because its own is left alone", () => {
    const openUntil = (one: { readonly provider: string }) => one.provider === "one" ? minute : undefined
    const found = position(usual, [lost], { ...password(0), openUntil })
    assert.deepStrictEqual([nextOf(found), atOf(found)], [["email", "one"], hold])
    assert.deepStrictEqual(
      nextOf(position(usual, [{ ...lost, state: "rejected", kind: "Unavailable" }], { ...password(0), openUntil })),
      ["email", "two"]
    )
  })

  it("does not hold the other branch of `all`, nor outlives its message", () => {
    const both = plan("all", [mails, channel("sms", [candidate("sms", "three")])])
    assert.deepStrictEqual(nextOf(position(both, [lost], password(0))), ["sms", "three"])
    const short = { ...password(0), deadline: minute }
    assert.strictEqual(atOf(position(usual, [lost], short)), minute)
    assert.strictEqual(position(usual, [lost], { ...short, now: minute })._tag, "Failed")
  })
})
