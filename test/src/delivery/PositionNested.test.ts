import { position } from "#src/delivery/attempts/Position.ts"
import {
  atOf,
  attempt,
  candidate,
  channel,
  first,
  nextOf,
  plan,
  situation,
  text
} from "#test/src/delivery/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const push = candidate("push", "four")
const inbox = candidate("inbox", "inbox")
const hour = 3_600_000

describe("Position: routings in routings", () => {
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
})
