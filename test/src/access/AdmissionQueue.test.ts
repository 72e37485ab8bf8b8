import * as AdmissionQueue from "#src/access/AdmissionQueue.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const bounds: AdmissionQueue.Bounds = {
  latency: 1_000,
  interval: 750,
  delay: 50,
  limit: { first: 32, least: 4, most: 1_024 },
  bytes: 64_000
}

interface Outcome {
  readonly at: number
  /** When the queue that it joined was last empty. */
  emptiedAt: number
  /** How many waited when it came. */
  ahead: number
  /** Whether it was told not to come in. */
  isTurnedAway: boolean
  waited: number
  entered: boolean
  answers: number
  done: number
}

/**
 * A server that does one call after the other, `cost` ms each, and is offered calls at these times; `hangs` from some time on, it fails each
 * call 1.5 s after it was let in.
 */
const simulate = (
  arrivals: ReadonlyArray<number>,
  { bytes = 1, cost, hangs = Infinity, until }: { bytes?: number; cost: number; hangs?: number; until: number }
) => {
  const queue = AdmissionQueue.make(bounds)
  const ends: Array<{ readonly at: number; readonly since: number; readonly of: Outcome }> = []
  let now = 0
  let free = 0
  let most = 0
  let emptiedAt = 0
  const outcomes = arrivals.map((at): Outcome => ({
    at,
    emptiedAt: at,
    ahead: 0,
    isTurnedAway: false,
    waited: NaN,
    entered: false,
    answers: 0,
    done: Infinity
  }))
  const answer = (outcome: Outcome, entered: boolean) => {
    outcome.waited = now - outcome.at
    outcome.entered = entered
    outcome.answers++
    if (!entered) return
    free = Math.max(free, now) + cost
    const hung = free > hangs
    ends.push({ at: hung ? now + 1_500 : free, since: now, of: outcome })
    if (hung) ends.sort((a, b) => a.at - b.at)
  }
  for (let next = 0; now < until;) {
    const arrival = outcomes[next]
    now = Math.min(arrival?.at ?? Infinity, ends[0]?.at ?? Infinity, queue.refusesAt() ?? Infinity)
    if (now === Infinity) break
    queue.expire(now)
    if (ends[0]?.at === now) {
      const end = ends.shift()
      if (end !== undefined) {
        end.of.done = now
        queue.leave(now, end.since)
      }
    } else if (arrival?.at === now) {
      next++
      if (queue.waiting() === 0) emptiedAt = now
      arrival.emptiedAt = emptiedAt
      arrival.ahead = queue.waiting()
      arrival.isTurnedAway = queue.isFull(now)
      if (arrival.isTurnedAway) answer(arrival, false)
      else queue.arrive(now, { bytes, enter: () => answer(arrival, true), refuse: () => answer(arrival, false) })
    }
    most = Math.max(most, queue.waiting() * bytes)
  }
  return { outcomes, heldAtMost: most, queue }
}

/** Evenly spaced, each moved by up to one gap, as a number of the seed decides. */
const steady = (gap: number, until: number, seed: number): ReadonlyArray<number> => {
  let state = seed | 1
  const chance = () => {
    state = Math.imul(state, 1_103_515_245) + 12_345 & 0x7fffffff
    return state / 0x7fffffff
  }
  return Array.from({ length: Math.floor(until / gap) }, (_, n) => (n + chance()) * gap).toSorted((a, b) => a - b)
}

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const load = { cost: between(5, 60), tenths: between(10, 100), seed: between(1, 1_000_000) }
const window = 20_000

const offered = ({ cost, seed, tenths }: { readonly cost: number; readonly tenths: number; readonly seed: number }) =>
  simulate(steady(cost / (tenths / 10), window, seed), { cost, until: window })

describe("AdmissionQueue", () => {
  it.prop(
    "offered one to ten times what it can do, a server does at least nine tenths of what it can",
    load,
    (said) => {
      const { outcomes } = offered(said)
      const done = outcomes.filter((outcome) => outcome.done <= window).length
      assert.isAtLeast(done, 0.9 * window / said.cost - 1)
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop(
    "nobody waits longer than the interval, nor longer than the delay in a queue that has stood so long",
    load,
    (said) => {
      const { outcomes } = offered(said)
      const late = outcomes.filter(({ answers, at, emptiedAt, waited }) =>
        answers > 1
        || waited > Math.max(bounds.delay, emptiedAt + bounds.interval - at) + 1e-6
        || waited > bounds.interval + 1e-6
      )
      assert.deepStrictEqual(late, [])
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop(
    "a call that would wait in vain is turned away, and no other: there are more before it than the server takes in that time",
    load,
    (said) => {
      const { outcomes } = offered(said)
      const entries = outcomes.filter(({ ahead, entered, waited }) => entered && ahead + waited > 0)
        .map(({ at, waited }) => at + waited)
      /** How many came in from the queue in so many ms before a time. */
      const within = (ms: number, at: number) => entries.filter((entry) => entry <= at && entry > at - ms).length
      for (const [n, { ahead, at, emptiedAt, isTurnedAway }] of outcomes.entries()) {
        if (isTurnedAway) {
          assert.isAtLeast(at - emptiedAt, bounds.interval)
          if (n % 16 === 0) assert.isAbove(ahead, within(bounds.delay, at))
        } else if (n % 16 === 0 && ahead > 0 && at - emptiedAt >= bounds.interval) {
          assert.isAtMost(ahead, 2 * within(3 * bounds.delay, at))
        }
      }
    },
    { arbitrary: { runs: 10 } }
  )

  it.prop("a call is answered in time under overload: the limit follows the latency", load, (said) => {
    const { outcomes } = offered(said)
    const late = outcomes.filter(({ at, done }) => at > 5_000 && done < Infinity && done - at > 2_000)
    assert.deepStrictEqual(late, [])
  }, { arbitrary: { runs: 25 } })

  it.prop("a round of slow calls cuts the limit once, by half at most, and never below the least", {
    took: between(1_001, 10_000),
    rounds: between(1, 8)
  }, ({ rounds, took }) => {
    const queue = AdmissionQueue.make(bounds)
    const visitor = { bytes: 1, enter: () => undefined, refuse: () => undefined }
    for (let round = 0, since = 0; round < rounds; round++, since += took) {
      const before = queue.limit()
      for (let n = 0; n < before; n++) queue.arrive(since, visitor)
      while (queue.running() > 0) queue.leave(since + took, since)
      assert.isAtMost(queue.limit(), before)
      assert.isAtLeast(queue.limit(), Math.max(bounds.limit.least, Math.floor(before / 2)))
    }
  })

  it.prop("bursts that are each served within the interval are refused nothing, whatever those before them held", {
    clients: between(1, 1_000),
    share: between(1, 99)
  }, ({ clients, share }) => {
    const cost = bounds.interval * share / 100 / clients
    const bursts = [0, 1_000, 2_000].flatMap((at) => Array.from({ length: clients }, () => at))
    const { outcomes } = simulate(bursts, { bytes: Math.floor(bounds.bytes / clients), cost, until: window })
    assert.strictEqual(outcomes.filter(({ entered }) => entered).length, bursts.length)
  }, { arbitrary: { runs: 100 } })

  it.prop(
    "who waits holds no more than the bound",
    { ...load, bytes: between(1, 5_000) },
    ({ bytes, cost, tenths }) => {
      const { heldAtMost, outcomes } = simulate(steady(cost / tenths, 2_000, 7), { bytes, cost, until: 10_000 })
      assert.isAtMost(heldAtMost, bounds.bytes)
      assert.isTrue(outcomes.every(({ answers }) => answers === 1))
    },
    { arbitrary: { runs: 30 } }
  )

  it.prop("with the database away everybody is answered within 2.5 s", load, ({ cost, seed, tenths }) => {
    const { outcomes } = simulate(steady(cost / (tenths / 10), 8_000, seed), { cost, hangs: 3_000, until: 12_000 })
    for (const { at, done, entered, waited } of outcomes) {
      // What was let in before and waited for its turn then is the journal's to bound.
      if (at > 3_000) assert.isAtMost(entered ? done - at : waited, 2_500)
    }
  }, { arbitrary: { runs: 25 } })
})
