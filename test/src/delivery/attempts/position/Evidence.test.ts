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
  single,
  situation,
  text
} from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const push = candidate("push", "four")

describe("Position: what earlier calls say of a plan", () => {
  it("P4: an earlier call that a receipt has proved is enough, whatever came after it", () => {
    const proved = [attempt(1, first, "accepted", 0), attempt(2, first, "rejected", 5_000, "Unavailable")]
    assert.strictEqual(position(single, proved, situation(5_000))._tag, "Succeeded")
  })

  it("P4: a repeat is marked as long as the outcome of any earlier call is unknown", () => {
    const unsure = attempt(1, first, "unknown", 0, "Unknown")
    const next = position(single, [unsure, attempt(2, first, "rejected", 0, "Unavailable")], situation(0))
    assert.isTrue(next._tag === "Next" && next.possibleDuplicate)
    const elsewhere = position(single, [unsure, attempt(2, first, "rejected", 0, "Misconfigured")], situation(0))
    assert.isTrue(elsewhere._tag === "Next" && elsewhere.possibleDuplicate, "also at another provider")
  })

  it("P4: what a provider was asked for besides is no copy of what a receipt has proved", () => {
    const both = plan("single", [{ ...channel("email", [first, second]), method: "all" }])
    const after = (state: "accepted" | "unknown") => {
      const next = position(both, [attempt(1, first, state, 0)], situation(0))
      return next._tag === "Next" && next.candidate.provider === "two" ? next.possibleDuplicate : undefined
    }
    assert.deepStrictEqual([after("accepted"), after("unknown")], [false, true])
  })

  it("ends a channel in which what was taken has bounced, whatever a repeat of it said", () => {
    const bounced = [
      attempt(1, first, "accepted", 0, "RecipientRejected"),
      attempt(2, first, "rejected", 5_000, "Unavailable")
    ]
    assert.deepStrictEqual(nextOf(position(single, bounced, situation(5_000))), ["sms", "three"])
  })

  it("a failure is told by its last call", () => {
    const only = plan("single", [channel("email", [first])])
    const failed = attempt(1, first, "rejected", 0, "Misconfigured")
    const tired = attempt(1, first, "rejected", 0, "Unavailable")
    assert.deepStrictEqual(position(only, [failed], situation(0)), { _tag: "Failed", last: failed })
    assert.deepStrictEqual(position(only, [tired], situation(0, { waits: [] })), { _tag: "Failed", last: tired })
    const impatient = plan("single", [channel("email", [{ ...first, timeout: 1 }])])
    assert.deepStrictEqual(position(impatient, [tired], situation(0)), { _tag: "Failed", last: tired })
    const late = [failed, tired]
    assert.deepStrictEqual(position(single, late, situation(9, { deadline: 9 })), { _tag: "Failed", last: tired })
  })

  it("in a channel that asks all of its providers, one's refusal is no answer for the others", () => {
    const both = plan("single", [{ ...channel("email", [first, second]), method: "all" }])
    const refused = [attempt(1, first, "rejected", 0, "RecipientRejected")]
    assert.deepStrictEqual(nextOf(position(both, refused, situation(0))), ["email", "two"])
  })

  it("P4: of two branches through one channel, what one of them has taken is not the other's", () => {
    const named = plan("all", [channel("email", [first]), channel("email", [second])])
    const taken = [attempt(1, first, "accepted", 0)]
    assert.deepStrictEqual(nextOf(position(named, taken, situation(0))), ["email", "two"])
    const left = [attempt(1, candidate("email", "gone"), "rejected", 0, "Misconfigured")]
    assert.deepStrictEqual(nextOf(position(named, left, situation(0))), ["email", "one"], "nor what none has taken")
  })

  it("P4: what a provider took that has left the plan ends its channel, unless all are asked there", () => {
    const taken = [attempt(1, first, "accepted", 0)]
    const changed = channel("email", [second])
    assert.strictEqual(position(plan("single", [changed]), taken, situation(0))._tag, "Succeeded")
    const five = candidate("sms", "five")
    const texts = plan("all", [channel("email", [second]), channel("sms", [text]), channel("sms", [five])])
    const texted = [...taken, attempt(2, candidate("sms", "gone"), "rejected", 0, "Misconfigured")]
    assert.deepStrictEqual(nextOf(position(texts, texted, situation(0))), ["sms", "three"])
    const half = [...taken, attempt(2, text, "accepted", 0)]
    assert.deepStrictEqual(nextOf(position(texts, half, situation(0))), ["sms", "five"])
    const all = plan("single", [{ ...changed, method: "all" }])
    assert.deepStrictEqual(nextOf(position(all, taken, situation(0))), ["email", "two"])
  })

  it("P4: a provider of the same name in another channel is another one", () => {
    const namesake = candidate("sms", first.provider)
    const changed = plan("single", [channel("email", [second]), channel("sms", [namesake])])
    assert.strictEqual(position(changed, [attempt(1, first, "accepted", 0)], situation(0))._tag, "Succeeded")
  })

  it("P6: is sent, whatever has failed of what is left of its plan", () => {
    const taken = [attempt(1, first, "accepted", 0), attempt(2, text, "rejected", 0, "RecipientRejected")]
    assert.strictEqual(position(plan("all", [channel("sms", [text])]), taken, situation(0))._tag, "Succeeded")
  })

  it("goes on from what was delivered, as was asked, and then bounced after all", () => {
    const bounced = [attempt(1, first, "accepted", 0, "RecipientRejected")]
    const met = { escalation: { after: 60_000, isMet: true } }
    assert.deepStrictEqual(nextOf(position(single, bounced, situation(0, met))), ["sms", "three"])
  })

  it("waits before it escalates for what took it, also where that has left the plan or has another turn in it", () => {
    const escalation = { after: 60_000, isMet: false }
    const at = (plans: Parameters<typeof position>[0]) => {
      const next = position(plans, [attempt(1, first, "accepted", 1_000)], situation(2_000, { escalation }))
      return [nextOf(next), atOf(next)]
    }
    const due = [["sms", "three"], 61_000]
    assert.deepStrictEqual(at(plan("single", [channel("email", [second]), channel("sms", [text])])), due)
    const both = plan("all", [channel("email", [first]), channel("sms", [text])])
    assert.deepStrictEqual(at(plan("single", [channel("email", [first]), both])), due)
  })

  it("escalates to what follows all that has taken it, then to the first that it stood in for", () => {
    const escalation = { after: 60_000, isMet: false }
    const four = plan("single", [
      channel("email", [first]),
      channel("webhook", [candidate("webhook", "hook")]),
      channel("sms", [text]),
      channel("push", [push])
    ])
    const twice = [attempt(1, first, "accepted", 0), attempt(2, text, "accepted", 60_000)]
    assert.deepStrictEqual(nextOf(position(four, twice, situation(60_000, { escalation }))), ["push", "four"])
    const last = [attempt(1, push, "accepted", 0)]
    const next = position(four, last, situation(0, { escalation }))
    assert.deepStrictEqual([nextOf(next), atOf(next)], [["email", "one"], 60_000])
  })

  it("escalates no branch of `all` any further once what is asked for is there", () => {
    const both = plan("all", [single, plan("single", [channel("push", [push])])])
    const sent = [attempt(1, first, "accepted", 0), attempt(2, push, "accepted", 5_000)]
    const met = { escalation: { after: 60_000, isMet: true } }
    assert.strictEqual(position(both, sent, situation(5_000, met))._tag, "Succeeded")
  })
})
