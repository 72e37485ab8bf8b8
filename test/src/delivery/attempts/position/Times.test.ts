import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { position } from "#src/delivery/attempts/Position.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import {
  atOf,
  attempt,
  candidate,
  channel,
  day,
  first,
  id,
  nextOf,
  plan,
  second,
  single,
  situation,
  text
} from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const hour = 3_600_000
const email = plan("single", [channel("email", [first])])

describe("Position: when the next call is due", () => {
  it("waits from the end of a call, after each failure longer, and from the start of one that has no end", () => {
    const failed = { ...attempt(1, first, "rejected", 1_000, "Unavailable"), endedAt: 4_000 }
    assert.strictEqual(atOf(position(email, [failed], situation(4_000))), 4_000 + RetryPolicy.jittered(5_000, id, 1))
    const again = [failed, attempt(2, first, "rejected", 20_000, "Unavailable")]
    assert.strictEqual(atOf(position(email, again, situation(20_000))), 20_000 + RetryPolicy.jittered(10_000, id, 2))
    const cut = [attempt(1, first, "intent", 1_000)]
    assert.strictEqual(atOf(position(email, cut, situation(1_000))), 1_000 + RetryPolicy.jittered(5_000, id, 1))
  })

  it("waits for a receipt only after an outcome that is unknown", () => {
    const failed = [attempt(1, first, "rejected", 0, "Unavailable")]
    const found = position(email, failed, situation(0, { unknownWait: 900_000 }))
    assert.strictEqual(atOf(found), RetryPolicy.jittered(5_000, id, 1))
  })

  it("counts a provider's timeout from its own first call, and a channel's from the first in it", () => {
    const texted = attempt(1, text, "rejected", 0, "Misconfigured")
    const failed = [
      texted,
      attempt(2, first, "rejected", 50_000, "Unavailable"),
      attempt(3, first, "rejected", 60_000, "Unavailable")
    ]
    const patient = (provider: number | undefined, whole: number | undefined) =>
      plan("single", [
        channel("sms", [text]),
        { ...channel("email", [{ ...first, timeout: provider }]), timeout: whole },
        channel("push", [candidate("push", "four")])
      ])
    for (const [provider, whole] of [[15_000, undefined], [undefined, 15_000]]) {
      assert.deepStrictEqual(nextOf(position(patient(provider, whole), failed, situation(60_000))), ["push", "four"])
    }
    for (const [provider, whole] of [[25_000, undefined], [undefined, 25_000]]) {
      assert.deepStrictEqual(nextOf(position(patient(provider, whole), failed, situation(60_000))), ["email", "one"])
    }
    const gone = attempt(2, candidate("email", "gone"), "rejected", 30_000, "Misconfigured")
    const since = [texted, gone, ...failed.slice(2)]
    assert.deepStrictEqual(nextOf(position(patient(undefined, 25_000), since, situation(60_000))), ["push", "four"])
  })

  it("tries for a day from the first call, and longer only if the last answer asks for it", () => {
    const failed = [attempt(1, first, "rejected", 0, "Unavailable"), attempt(2, first, "rejected", hour, "Unavailable")]
    assert.strictEqual(position(email, failed, situation(day - 1))._tag, "Next")
    assert.strictEqual(position(email, failed, situation(day))._tag, "Failed")
    const asked = failed.map((one) => ({ ...one, retryAfter: day }))
    assert.strictEqual(atOf(position(email, asked, situation(day))), hour + day)
    assert.strictEqual(position(email, [...asked.slice(0, 1), ...failed.slice(1)], situation(day))._tag, "Failed")
  })

  it("goes on trying although an escalation is asked for that has nothing to count from yet", () => {
    const failed = [attempt(1, first, "rejected", 0, "Unavailable")]
    const escalation = { after: 60_000, isMet: false }
    assert.deepStrictEqual(nextOf(position(single, failed, situation(0, { escalation }))), ["email", "one"])
  })

  it("decides only at an escalation's time whether its provider is left alone for longer than the message has", () => {
    const mailed = [attempt(1, first, "accepted", 0)]
    const told = { deadline: hour, escalation: { after: 60_000, isMet: false } }
    const ill = { ...told, openUntil: ({ provider }: Candidate) => provider === "three" ? 2 * hour : undefined }
    const waiting = position(single, mailed, situation(1_000, ill))
    assert.deepStrictEqual([nextOf(waiting), atOf(waiting)], [["sms", "three"], 60_000])
    assert.strictEqual(position(single, mailed, situation(60_000, ill))._tag, "Succeeded")
    assert.deepStrictEqual(nextOf(position(single, mailed, situation(60_000, told))), ["sms", "three"])
    const three = plan("single", [...single.children, channel("push", [candidate("push", "four")])])
    const passed = position(three, mailed, situation(60_000, ill))
    assert.deepStrictEqual([nextOf(passed), atOf(passed)], [["push", "four"], 60_000])
  })

  it("of providers that are all left alone goes to the one that is so for the shortest time", () => {
    for (const [one, two, expected] of [[60_000, 30_000, "two"], [30_000, 60_000, "one"]] as const) {
      const openUntil = ({ provider }: { readonly provider: string }) => provider === "one" ? one : two
      const both = plan("single", [channel("email", [first, second])])
      assert.deepStrictEqual(nextOf(position(both, [], situation(0, { openUntil }))), ["email", expected])
    }
  })

  it("of providers whose turn comes at one time goes to the first, also to one that was left alone until then", () => {
    const both = plan("single", [channel("email", [first, second])])
    assert.deepStrictEqual(nextOf(position(both, [], situation(0, { openUntil: () => hour }))), ["email", "one"])
    const openUntil = ({ provider }: { readonly provider: string }) => provider === "one" ? 1_000 : undefined
    assert.deepStrictEqual(nextOf(position(both, [], situation(hour, { openUntil }))), ["email", "one"])
  })

  it("of the branches of `all` goes to the one that is due first", () => {
    const both = plan("all", [channel("email", [first]), channel("sms", [text])])
    for (const [mailed, texted, expected] of [[9_000, 1_000, "three"], [1_000, 9_000, "one"]] as const) {
      const failed = [
        attempt(1, first, "rejected", mailed, "Unavailable"),
        attempt(2, text, "rejected", texted, "Unavailable")
      ]
      const found = position(both, failed, situation(9_000))
      assert.strictEqual(found._tag === "Next" && found.candidate.provider, expected)
    }
  })

  it("ends at its time as sent if one branch of `all` has taken it", () => {
    const both = plan("all", [channel("email", [first]), channel("sms", [text])])
    const half = [attempt(1, first, "accepted", 0), attempt(2, text, "rejected", 0, "Unavailable")]
    assert.strictEqual(position(both, half, situation(day))._tag, "Succeeded")
  })
})
