import { position } from "#src/delivery/attempts/Position.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import {
  atOf,
  attempt,
  candidate,
  channel,
  first,
  id,
  nextOf,
  plan,
  situation,
  text
} from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const push = candidate("push", "four")
const inbox = candidate("inbox", "inbox")
const hour = 3_600_000

describe("Position: routings in routings", () => {
  it("counts the time of one from the first call in it, whatever was tried before", () => {
    const both = plan("single", [
      { ...plan("all", [channel("email", [first])]), timeout: hour },
      { ...plan("all", [channel("sms", [text])]), timeout: hour },
      channel("push", [push])
    ])
    const mailed = attempt(1, first, "rejected", 0, "Misconfigured")
    const later = position(both, [mailed, attempt(2, text, "rejected", hour, "Unavailable")], situation(hour))
    assert.deepStrictEqual(nextOf(later), ["sms", "three"])
    assert.strictEqual(atOf(later), hour + RetryPolicy.jittered(5_000, id, 1))
    const over = position(both, [mailed, attempt(2, text, "rejected", 1, "Unavailable")], {
      ...situation(1),
      waits: [2 * hour]
    })
    assert.deepStrictEqual(nextOf(over), ["push", "four"])
  })

  it("goes on to the next channel of one although the time of what is around it is over: nothing failed", () => {
    const inner = plan("single", [channel("email", [first]), channel("sms", [text])])
    const deep = plan("single", [
      { ...plan("all", [inner, channel("push", [push])]), timeout: hour },
      channel("inbox", [inbox])
    ])
    const taken = [attempt(1, first, "accepted", 0), attempt(2, push, "accepted", 0)]
    const escalation = { after: 2 * hour, isMet: false }
    const next = position(deep, taken, situation(0, { escalation }))
    assert.deepStrictEqual([nextOf(next), atOf(next)], [["sms", "three"], 2 * hour])
    // The message's own time is another matter.
    assert.strictEqual(position(deep, taken, situation(0, { escalation, deadline: hour }))._tag, "Succeeded")
  })

  it("stays with one of which a part was taken while the rest is left alone by its breaker: nothing else stands in for it", () => {
    const some = plan("single", [
      channel("inbox", [inbox]),
      plan("all", [channel("sms", [text]), channel("email", [first])]),
      channel("push", [push])
    ])
    const [shown, sent, mailed] = [
      attempt(1, inbox, "rejected", 0, "Unavailable"),
      attempt(2, text, "rejected", 0, "Unavailable"),
      attempt(3, first, "accepted", 0)
    ] as const
    const isIll = (ill: ReadonlyArray<string>) => ({
      openUntil: ({ provider }: { readonly provider: string }) => ill.includes(provider) ? hour : undefined
    })
    const after = (ill: ReadonlyArray<string>) => position(some, [shown, sent, mailed], situation(1, isIll(ill)))
    assert.deepStrictEqual(nextOf(after(["three", "inbox"])), ["sms", "three"])
    assert.deepStrictEqual(nextOf(after(["inbox"])), ["sms", "three"])
    assert.deepStrictEqual(nextOf(after([])), ["sms", "three"])
    // Nothing of it was taken yet.
    const ill = position(some, [shown, sent], situation(1, isIll(["three", "inbox"])))
    assert.deepStrictEqual(nextOf(ill), ["email", "one"])
  })

  it("escalates to all channels of one at once", () => {
    const some = plan("single", [
      channel("email", [first]),
      plan("all", [channel("inbox", [inbox]), channel("sms", [text]), channel("push", [push])]),
      channel("webhook", [candidate("webhook", "hook")])
    ])
    const escalation = { after: hour, isMet: false }
    const at = (taken: Parameters<typeof position>[1], now: number) => {
      const next = position(some, taken, situation(now, { escalation }))
      return [nextOf(next), atOf(next)]
    }
    const mailed = [attempt(1, first, "accepted", 0)]
    assert.deepStrictEqual(at(mailed, 0), [["inbox", "inbox"], hour])
    const shown = [...mailed, attempt(2, inbox, "accepted", hour)]
    assert.deepStrictEqual(at(shown, hour), [["sms", "three"], hour])
    const failed = [...shown, attempt(3, text, "rejected", hour, "Unavailable")]
    assert.deepStrictEqual(at(failed, hour), [["push", "four"], hour])
    const pushed = [...failed, attempt(4, push, "accepted", hour)]
    assert.deepStrictEqual(at(pushed, hour), [["sms", "three"], hour + RetryPolicy.jittered(5_000, id, 1)])
    const all = [...pushed, attempt(5, text, "accepted", hour + 5_000)]
    assert.deepStrictEqual(at(all, hour + 5_000), [["webhook", "hook"], 2 * hour + 5_000])
  })
})
