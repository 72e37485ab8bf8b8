import type { Attempt } from "#schemas/Attempt.ts"
import type { Kind } from "#schemas/DeliveryError.ts"
import { MessageId } from "#schemas/MessageId.ts"
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
  hook,
  id,
  nextOf,
  plan,
  second,
  single,
  situation,
  text
} from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Position: a message's place in its plan is a fold over its attempts", () => {
  it("starts with the first provider of the first channel, at once", () => {
    assert.deepStrictEqual(nextOf(position(single, [], situation(7))), ["email", "one"])
  })

  it("stops at the first success of `single`, and only when each has ended of `all`", () => {
    const accepted = [attempt(1, first, "accepted", 0)]
    assert.strictEqual(position(single, accepted, situation(1))._tag, "Succeeded")
    assert.deepStrictEqual(
      nextOf(position(plan("all", single._tag === "Branch" ? single.children : []), accepted, situation(1))),
      ["sms", "three"]
    )
  })

  it("tries an unavailable provider again after the schedule's wait, never sooner than it asked", () => {
    const failed = { ...attempt(1, first, "rejected", 1_000, "Unavailable"), retryAfter: 60_000 }
    const next = position(single, [failed], situation(1_000))
    assert.strictEqual(next._tag === "Next" && next.at, 61_000)
  })

  it("waits as long as its last call says that was not made, and no earlier one", () => {
    const failed = attempt(1, first, "rejected", 1_000, "Unavailable")
    const unmade = (number: number, at: number, retryAfter: number) => ({
      ...attempt(number, first, "rejected", at),
      retryAfter
    })
    const earlier = [[], [unmade(2, 2_000, 600_000)], [attempt(2, first, "rejected", 2_000, "Unavailable")]]
    for (const before of earlier) {
      const next = position(single, [failed, ...before, unmade(4, 4_000, 30_000)], situation(4_000))
      assert.strictEqual(next._tag === "Next" && next.at, 34_000)
    }
    const again = [failed, unmade(2, 2_000, 600_000), attempt(3, first, "rejected", 6_000, "Unavailable")]
    assert.isBelow(atOf(position(single, again, situation(6_000))) ?? Infinity, 20_000)
  })

  it("tries a provider again that asks for a day, if the message has the time", () => {
    const only = plan("single", [channel("email", [first])])
    const asked = [{ ...attempt(1, first, "rejected", 1_000, "Unavailable"), retryAfter: day }]
    const next = position(only, asked, situation(1_000))
    assert.strictEqual(next._tag === "Next" && next.at, 1_000 + day)
    assert.strictEqual(position(only, asked, situation(1_000, { deadline: day }))._tag, "Failed")
    const earlier = attempt(1, first, "rejected", 0, "Unavailable")
    const between = attempt(2, first, "rejected", 4_000, "Unavailable")
    const last = [earlier, between, { ...attempt(3, first, "rejected", 5_000, "Unavailable"), retryAfter: day }]
    const later = position(only, last, situation(5_000))
    assert.strictEqual(later._tag === "Next" && later.at, 5_000 + day, "the day of tries does not end before it")
    // Another provider is not kept waiting for it.
    const timed = plan("single", [channel("email", [{ ...first, timeout: 300_000 }, second])])
    const other = position(timed, asked, situation(1_000))
    assert.deepStrictEqual([nextOf(other), atOf(other)], [["email", "two"], 1_000])
  })

  it("goes to the next provider when one is misconfigured, and to the next channel when recipient or content is refused", () => {
    const after = (kind: Kind) => nextOf(position(single, [attempt(1, first, "rejected", 0, kind)], situation(0)))
    assert.deepStrictEqual(after("Misconfigured"), ["email", "two"])
    assert.deepStrictEqual(after("RecipientRejected"), ["sms", "three"])
    assert.deepStrictEqual(after("ContentRejected"), ["sms", "three"])
  })

  it("knows the calls of each channel apart where one provider's key serves both", () => {
    const texting = candidate("sms", first.provider)
    const both = [channel("email", [first]), channel("sms", [texting])]
    const refused = attempt(1, first, "rejected", 0, "RecipientRejected")
    const next = position(plan("single", both), [refused], situation(1))
    assert.deepStrictEqual([nextOf(next), next._tag === "Next" && next.at], [["sms", first.provider], 1])
    assert.deepStrictEqual(nextOf(position(plan("single", [first, texting]), [refused], situation(1))), [
      "sms",
      first.provider
    ])
    const mailed = [attempt(1, first, "accepted", 0)]
    assert.deepStrictEqual(nextOf(position(plan("all", both), mailed, situation(1))), ["sms", first.provider])
  })

  it("gives way to the next provider at the provider's timeout", () => {
    const impatient = plan("single", [channel("email", [{ ...first, timeout: 3_000 }, second])])
    assert.deepStrictEqual(
      nextOf(position(impatient, [attempt(1, first, "rejected", 0, "Unavailable")], situation(0))),
      ["email", "two"]
    )
  })

  it("treats an intent without outcome as unknown: the same provider again, marked", () => {
    const next = position(single, [attempt(1, first, "intent", 0)], situation(0))
    assert.deepStrictEqual(nextOf(next), ["email", "one"])
    assert.isTrue(next._tag === "Next" && next.possibleDuplicate)
  })

  it("holds an unknown outcome of a one-time password for its receipt", () => {
    const next = position(single, [attempt(1, first, "unknown", 0, "Unknown")], situation(0, { unknownWait: 900_000 }))
    assert.strictEqual(next._tag === "Next" && next.at, 900_000)
  })

  it("lets another provider go first while a circuit is open, and waits for it when there is no other", () => {
    const isFirst = (one: Candidate) => one.provider === "one" ? 30_000 : undefined
    assert.deepStrictEqual(nextOf(position(single, [], situation(0, { openUntil: isFirst }))), ["email", "two"])
    const next = position(plan("single", [channel("email", [first])]), [], situation(0, { openUntil: isFirst }))
    assert.strictEqual(next._tag === "Next" && next.at, 30_000 + RetryPolicy.apart(id))
    const tried = [attempt(1, first, "rejected", 0, "Unavailable")]
    const again = position(plan("single", [channel("email", [first])]), tried, situation(1, { openUntil: isFirst }))
    assert.strictEqual(
      again._tag === "Next" && again.at,
      30_000 + RetryPolicy.apart(id),
      "nor is it tried again before"
    )
  })

  it("comes back to a provider that was left alone at its own moment, within 5 s of the others", () => {
    const only = plan("single", [channel("email", [first])])
    const times = Array.from({ length: 200 }, (_, n) => {
      const own = MessageId.make(`1-00000001-${n.toString(16).padStart(24, "0")}`)
      const next = position(only, [], situation(0, { id: own, openUntil: () => 30_000 }))
      return next._tag === "Next" ? next.at : 0
    })
    assert.isAtLeast(Math.min(...times), 30_000)
    assert.isAtMost(Math.max(...times), 35_000)
    assert.isAtLeast(new Set(times).size, 150)
  })

  it("waits for a provider that is left alone no longer than the message has", () => {
    const only = plan("single", [channel("email", [first])])
    const open = { openUntil: () => 30_000, deadline: 1_000 }
    const next = position(only, [], situation(0, open))
    assert.strictEqual(next._tag === "Next" && next.at, 1_000)
    assert.strictEqual(position(only, [], situation(1_000, open))._tag, "Failed")
  })

  it("escalates from a channel that took it to the next that is left, at its time, and stops when what is asked for is there", () => {
    const escalation = { after: 60_000, isMet: false }
    const push = candidate("push", "four")
    const three = plan("single", [channel("email", [first, second]), channel("sms", [text]), channel("push", [push])])
    const mailed = [attempt(1, first, "accepted", 1_000)]
    const next = position(three, mailed, situation(2_000, { escalation }))
    assert.deepStrictEqual([nextOf(next), next._tag === "Next" && next.at], [["sms", "three"], 61_000])
    const refused = [...mailed, attempt(2, text, "rejected", 61_000, "RecipientRejected")]
    assert.deepStrictEqual(nextOf(position(three, refused, situation(61_000, { escalation }))), ["push", "four"])
    const all = [...refused, attempt(3, push, "accepted", 61_000)]
    assert.strictEqual(position(three, all, situation(61_000, { escalation }))._tag, "Succeeded")
    // By then the mail's channel is no part of the plan any more.
    const changed = plan("single", [channel("sms", [text])])
    const met = { escalation: { ...escalation, isMet: true } }
    assert.strictEqual(position(changed, mailed, situation(61_000, met))._tag, "Succeeded")
    const resent = [attempt(1, first, "rejected", 0, "Unavailable"), attempt(2, first, "accepted", 1_000)]
    assert.strictEqual(position(changed, resent, situation(61_000, met))._tag, "Succeeded")
    const late = position(three, mailed, situation(2_000, { escalation: { after: 2 * day, isMet: false } }))
    assert.strictEqual(late._tag === "Next" && late.at, 1_000 + 2 * day, "a day of tries is not a day of waiting")
    const returned = [attempt(1, first, "accepted", 1_000, "RecipientRejected")]
    const awoken = situation(1_000 + 2 * day, { escalation: { after: 2 * day, isMet: false } })
    assert.deepStrictEqual(
      nextOf(position(three, returned, awoken)),
      ["sms", "three"],
      "nor is a bounce in the meantime"
    )
    const overdue = { escalation, deadline: 30_000 }
    assert.strictEqual(position(three, mailed, situation(2_000, overdue))._tag, "Succeeded")
  })

  it("escalates to the channel after the one that took it, and to one that it stood in for when there is no other", () => {
    const escalation = { after: 60_000, isMet: false }
    const three = plan("single", [channel("webhook", [hook]), channel("email", [first]), channel("sms", [text])])
    const stoodIn = [attempt(1, hook, "rejected", 500, "Unavailable"), attempt(2, first, "accepted", 1_000)]
    const next = position(three, stoodIn, situation(2_000, { escalation }))
    assert.deepStrictEqual([nextOf(next), next._tag === "Next" && next.at], [["sms", "three"], 61_000])
    const texted = [...stoodIn, attempt(3, text, "accepted", 61_000)]
    const last = position(three, texted, situation(61_000, { escalation }))
    assert.deepStrictEqual([nextOf(last), last._tag === "Next" && last.at], [["webhook", "hook"], 121_000])
  })

  it("P4: counts what a provider took that has left the plan since: its channel is done, the others are not", () => {
    const before = [attempt(1, first, "accepted", 0), attempt(2, text, "rejected", 0, "Unavailable")]
    const changed = plan("all", [channel("email", [second]), channel("sms", [text])])
    assert.deepStrictEqual(nextOf(position(changed, before, situation(0))), ["sms", "three"])
    const texted = [...before, attempt(3, text, "accepted", 5_000)]
    assert.strictEqual(position(changed, texted, situation(5_000))._tag, "Succeeded")
  })

  it("escalates within each routing of its own: what another branch took is no answer to this one's", () => {
    const push = candidate("push", "four")
    const both = plan("all", [single, plan("single", [channel("push", [push])])])
    const met = { escalation: { after: 60_000, isMet: true } }
    assert.deepStrictEqual(
      nextOf(position(both, [attempt(1, first, "accepted", 0)], situation(1, met))),
      ["push", "four"]
    )
    const unmet = { escalation: { after: 60_000, isMet: false } }
    const sent = [attempt(1, first, "accepted", 0), attempt(2, push, "accepted", 5_000)]
    const next = position(both, sent, situation(5_000, unmet))
    assert.deepStrictEqual([nextOf(next), next._tag === "Next" && next.at], [["sms", "three"], 60_000])
  })

  it("fails at the message's deadline, whatever is left of the plan", () => {
    const late = attempt(1, first, "rejected", 100, "Unavailable")
    assert.strictEqual(position(single, [late], situation(200, { deadline: 150 }))._tag, "Failed")
  })

  it.effect.prop("ends every plan after a bounded number of failures", {
    kinds: Schema.Array(
      Schema.Literals(["Unavailable", "RateLimited", "Misconfigured", "RecipientRejected", "Unknown"])
    )
      .check(Schema.isMinLength(20), Schema.isMaxLength(20)),
    method: Schema.Literals(["all", "single"])
  }, ({ kinds, method }) =>
    Effect.sync(() => {
      const walked = plan(method, [channel("email", [first, second]), channel("sms", [text])])
      const attempts: Array<Attempt> = []
      let now = 0
      for (const kind of kinds) {
        const next = position(walked, attempts, situation(now))
        if (next._tag !== "Next") break
        assert.isAtLeast(next.at, now)
        now = next.at
        attempts.push(
          attempt(attempts.length + 1, next.candidate, kind === "Unknown" ? "unknown" : "rejected", now, kind)
        )
      }
      assert.isAtMost(attempts.length, 12)
      assert.strictEqual(position(walked, attempts, situation(now))._tag, "Failed")
    }))
})

describe("RetryPolicy", () => {
  it("gives a message three days unless it says otherwise (api.md 26.4), and its fiber a second (P3)", () => {
    assert.strictEqual(RetryPolicy.messageTimeout, 3 * day)
    assert.strictEqual(RetryPolicy.shortWait, 1_000)
  })

  it.effect("is 104 attempts in 24 hours: 5 s doubling to 15 min, then every 15 min (api.md 26.5)", () =>
    Effect.gen(function*() {
      const waits = yield* RetryPolicy.waits(RetryPolicy.long)
      assert.deepStrictEqual(
        waits.slice(0, 10),
        [5, 10, 20, 40, 80, 160, 320, 640, 900, 900].map((seconds) => seconds * 1_000)
      )
      assert.isAtLeast(waits.length, 95)
      assert.isAtMost(waits.length, 104)
      assert.isAtMost(waits.reduce((sum, wait) => sum + wait, 0), day + 900_000)
    }))

  it.effect.prop("shortens waits by at most a fifth, the same at every look", {
    wait: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 900_000 })),
    position: Schema.Int
  }, ({ position, wait }) =>
    Effect.sync(() => {
      const spread = RetryPolicy.jittered(wait, id, position)
      assert.isAtLeast(spread, Math.floor(wait * 0.8))
      assert.isAtMost(spread, wait)
      assert.strictEqual(spread, RetryPolicy.jittered(wait, id, position))
    }))
})
