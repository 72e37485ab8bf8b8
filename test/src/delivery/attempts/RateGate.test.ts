import * as RateGate from "#src/delivery/attempts/RateGate.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** A provider that takes so many calls in each of its windows, and how long an answer of its takes. Times in ms. */
interface Limit {
  readonly allowed: number
  readonly window: number
  readonly latency: number
  /** It says when the window ends. */
  readonly names: boolean
}

interface Called {
  readonly at: number
  readonly taken: boolean
}

/** Calls a provider through a gate, from one time to another (ms), while calls always wait, or each `every` ms. */
const call = (
  gate: RateGate.RateGate,
  { allowed, latency, names, window }: Limit,
  until: number,
  { every = 0, from = 0 } = {}
) => {
  const calls: Array<Called> = []
  const answers: Array<{ readonly at: number; readonly since: number; readonly named: number | undefined }> = []
  let now = from
  let used = 0
  let current = -1
  while (now < until) {
    const at = Math.max(now + every, gate.nextAt())
    const answer = answers[0]
    if (answer !== undefined && answer.at <= at) {
      answers.shift()
      if (answer.named === undefined) gate.taken(answer.since)
      else gate.refused(answer.at, answer.since, answer.named)
      continue
    }
    now = at
    gate.pass(now, every === 0)
    const arrives = now + latency / 2
    if (Math.floor(arrives / window) !== current) {
      current = Math.floor(arrives / window)
      used = 0
    }
    const taken = ++used <= allowed
    calls.push({ at: now, taken })
    const named = names ? (current + 1) * window - arrives : 0
    answers.push({ at: now + latency, since: now, named: taken ? undefined : named })
  }
  return calls
}

const minute = 60_000

const within = (calls: ReadonlyArray<Called>, from: number, until: number) =>
  calls.filter(({ at }) => from <= at && at < until)

describe("RateGate", () => {
  it.prop(
    "what a provider allows in a second is found within a minute; from then on nearly as much is taken, and hardly a call refused",
    {
      allowed: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })),
      latency: Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 500 })),
      names: Schema.Boolean
    },
    ({ allowed, latency, names }) => {
      const calls = call(RateGate.make(0, 0), { allowed, window: 1_000, latency, names }, 3 * minute)
      const later = within(calls, minute, 3 * minute)
      const taken = later.filter((one) => one.taken).length
      assert.isAbove(taken, 0.8 * allowed * 120)
      // Two in 20 s at the least, else what was under way when the first of them was refused.
      assert.isBelow(later.length - taken, 20 + 0.02 * later.length)
    }
  )

  it("of a limit of a minute all is taken, and after the wait that it names", () => {
    const calls = call(RateGate.make(0, 0), { allowed: 600, window: minute, latency: 100, names: true }, 10 * minute)
    assert.isAbove(calls.filter(({ taken }) => taken).length, 9.5 * 600)
    assert.isBelow(calls.filter(({ taken }) => !taken).length, 600)
  })

  it("a limit that is raised tenfold is found in three minutes, one that is lowered to a tenth in one", () => {
    for (const [before, after, time] of [[10, 100, 3], [100, 10, 1], [1_000, 100, 1]] as const) {
      for (const latency of [20, 500]) {
        const gate = RateGate.make(0, 0)
        const limit = { window: 1_000, latency, names: false }
        call(gate, { ...limit, allowed: before }, 2 * minute)
        const until = (2 + time) * minute
        call(gate, { ...limit, allowed: after }, until, { from: 2 * minute })
        const later = call(gate, { ...limit, allowed: after }, until + minute, { from: until })
        const taken = later.filter((one) => one.taken).length
        const what = `${before} to ${after}, in ${latency} ms`
        assert.isAbove(taken, 0.8 * after * 60, what)
        assert.isBelow(later.length - taken, 10 + 0.02 * later.length, what)
      }
    }
  })

  for (const [what, before] of [["as much as before", 2 * minute], ["what it allows", 0]] as const) {
    it(`a provider that takes nothing for half a minute is soon given ${what}`, () => {
      for (const [allowed, latency] of [[100, 20], [100, 500], [1_000, 100], [5, 100]] as const) {
        const gate = RateGate.make(0, 0)
        const limit = { window: 1_000, latency, names: false }
        call(gate, { ...limit, allowed }, before)
        const until = before + 30_000
        const none = call(gate, { ...limit, allowed: 0 }, until, { from: before })
        assert.isBelow(none.length, 60 + 2 * allowed * latency / 1_000)
        call(gate, { ...limit, allowed }, until + 20_000, { from: until })
        const later = call(gate, { ...limit, allowed }, until + 50_000, { from: until + 20_000 })
        assert.isAbove(later.filter(({ taken }) => taken).length, 0.75 * allowed * 30, `${allowed}, in ${latency} ms`)
      }
    })
  }

  it("one that takes only a tenth after it took nothing is found out in a minute", () => {
    const gate = RateGate.make(0, 0)
    const limit = { window: 1_000, latency: 100, names: false }
    call(gate, { ...limit, allowed: 1_000 }, 2 * minute)
    call(gate, { ...limit, allowed: 0 }, 3 * minute, { from: 2 * minute })
    call(gate, { ...limit, allowed: 100 }, 4 * minute, { from: 3 * minute })
    const later = call(gate, { ...limit, allowed: 100 }, 5 * minute, { from: 4 * minute })
    const taken = later.filter((one) => one.taken).length
    assert.isAbove(taken, 0.8 * 6_000)
    assert.isBelow(later.length - taken, 10 + 0.02 * later.length)
  })

  it("that fewer calls are taken than might be proves nothing: the rate stays", () => {
    const gate = RateGate.make(0, 0)
    call(gate, { allowed: 10, window: 1_000, latency: 50, names: false }, minute)
    const rate = gate.rate()
    call(gate, { allowed: 10, window: 1_000, latency: 50, names: false }, 10 * minute, { every: 500 })
    assert.strictEqual(gate.rate(), rate)
  })

  it("calls that were let through before the last refusal are refused for the same reason, but the longest wait counts", () => {
    const gate = RateGate.make(0, 2_000)
    assert.strictEqual(gate.nextAt(), 2_000)
    assert.isFalse(gate.refused(10, 0, 0))
    assert.strictEqual(gate.nextAt(), 2_000)
    assert.isFalse(gate.refused(20, 0, 5_000))
    assert.strictEqual(gate.nextAt(), 5_020)
    gate.pass(5_020, true)
    gate.taken(5_020)
    gate.pass(5_520, true)
    const rate = gate.rate()
    assert.isTrue(gate.refused(5_600, 5_520, 0))
    assert.isBelow(gate.rate(), rate)
    assert.strictEqual(gate.nextAt(), 6_600)
    gate.pass(6_600, true)
    assert.isTrue(gate.refused(6_700, 6_600, 5_000))
    assert.strictEqual(gate.nextAt(), 11_700)
  })

  it("however often a provider refuses or takes, its rate stays within bounds", () => {
    const refused = RateGate.make(0, 0)
    for (let now = 0; now < 1_000_000; now = Math.max(now + 1, refused.nextAt())) {
      refused.pass(now, true)
      refused.taken(now)
      refused.refused(now, now, 0)
    }
    assert.strictEqual(refused.rate(), 0.2)
    const taken = RateGate.make(0, 0)
    for (let now = taken.nextAt(); now < 100_000; now = taken.nextAt()) taken.pass(now, true)
    assert.strictEqual(taken.rate(), 10_000)
  })

  it("who is sent away comes back after those of its lane, 200 a second, and not after those of another", () => {
    const gate = RateGate.make(0, 0)
    const back = Array.from({ length: 100 }, () => {
      const at = gate.backAt(0, "bulk", 1)
      gate.comesBack("bulk", at)
      return at
    })
    assert.deepStrictEqual(back, back.map((_, n) => 1_005 + 5 * n))
    assert.strictEqual(gate.backAt(0, "transactional", 1), 1_005)
  })

  it("while its rate doubles, who is sent away comes back as fast as it may be by then, and no faster once it is known", () => {
    const back = (gate: RateGate.RateGate) => {
      const ats = Array.from({ length: 10_000 }, () => {
        const at = gate.backAt(1_000, "bulk", 1)
        gate.comesBack("bulk", at)
        return at
      })
      return ats.at(-1) ?? 0
    }
    const gate = RateGate.make(0, 0)
    assert.isBelow(back(gate), 15_000)
    gate.pass(1_000, true)
    gate.taken(1_000)
    gate.refused(1_050, 1_000, 0)
    assert.isAtLeast(back(gate), 50_000)
  })

  it("a gate at which nobody has waited for ten minutes is none", () => {
    const gate = RateGate.make(0, 0)
    gate.pass(1_000, true)
    gate.pass(300_000, false)
    assert.strictEqual(gate.unusedAt(), 601_000)
  })

  it("a gate whose provider takes nothing stays one, however long nobody waits at it", () => {
    const gate = RateGate.make(0, 0)
    gate.pass(590_000, false)
    gate.refused(590_050, 590_000, 0)
    assert.strictEqual(gate.unusedAt(), 1_190_050)
  })

  it("nor is one none while its provider wants to be left alone", () => {
    const hour = 60 * minute
    const gate = RateGate.make(0, hour)
    assert.strictEqual(gate.unusedAt(), hour + 600_000)
    gate.refused(1_000, -1, 2 * hour)
    assert.strictEqual(gate.unusedAt(), 1_000 + 2 * hour + 600_000)
    gate.refused(2_000, 1_500, 0)
    assert.strictEqual(gate.unusedAt(), 1_000 + 2 * hour + 600_000)
  })
})
