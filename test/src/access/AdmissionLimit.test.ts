import * as AdmissionQueue from "#src/access/AdmissionQueue.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const latency = 1_000
const bounds: AdmissionQueue.Bounds = {
  latency,
  interval: 750,
  delay: 50,
  limit: { first: 32, least: 4, most: 1_024 },
  bytes: 100
}

const visitor: AdmissionQueue.Visitor = { bytes: 1, enter: () => undefined, refuse: () => undefined }

/** The limit after so many calls that each take so long, while so many run at once. */
const limitAfter = (calls: number, took: number, atOnce: (limit: number) => number) => {
  const queue = AdmissionQueue.make(bounds)
  for (let now = took, n = 0; n < calls; n++, now++) {
    while (queue.running() < atOnce(queue.limit())) queue.arrive(now - took, visitor)
    queue.leave(now, now - took)
  }
  return queue.limit()
}

const all = (limit: number) => limit

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("The limit on running calls", () => {
  it.prop("doubles with each round of calls that take less than half of what they may, and is bounded", {
    took: between(1, latency / 2 - 1),
    rounds: between(1, 8)
  }, ({ rounds, took }) => {
    const calls = 32 * (2 ** rounds - 1)
    assert.strictEqual(limitAfter(calls, took, all), Math.min(bounds.limit.most, 32 * 2 ** rounds))
  })

  it.prop("grows by one with each round of calls that take longer and are still in time", {
    took: between(latency / 2, latency),
    rounds: between(1, 20)
  }, ({ rounds, took }) => {
    const calls = Array.from({ length: rounds }, (_, n) => 32 + n).reduce((sum, limit) => sum + limit, 0)
    const limit = limitAfter(calls, took, all)
    assert.isAtMost(limit, 32 + rounds)
    assert.isAtLeast(limit, 32 + rounds - 1)
  })

  it("does not change with calls that did not run", () => {
    const queue = AdmissionQueue.make(bounds)
    for (let n = 0; n < 1_000; n++) {
      while (queue.running() < queue.limit()) queue.arrive(n, visitor)
      queue.leave(n, undefined)
    }
    assert.strictEqual(queue.limit(), bounds.limit.first)
  })

  it("does not grow while less than half of it is used", () => {
    assert.strictEqual(limitAfter(1_000, 1, () => 15), 32)
    assert.strictEqual(limitAfter(1_000, 1, () => 16), 33)
  })

  it.prop("is cut by as much as calls are late, by half at most, by each round that began after the last cut", {
    took: between(latency + 1, 10 * latency),
    rounds: between(1, 8)
  }, ({ rounds, took }) => {
    const queue = AdmissionQueue.make(bounds)
    let limit = bounds.limit.first
    for (let round = 0, since = 0; round < rounds; round++, since += took) {
      for (let n = queue.limit(); n > 0; n--) queue.arrive(since, visitor)
      while (queue.running() > 0) queue.leave(since + took, since)
      limit = Math.max(bounds.limit.least, limit * Math.max(0.5, latency / took))
      assert.strictEqual(queue.limit(), Math.floor(limit))
    }
  })
})

describe("A queue in front of it", () => {
  const small = { ...bounds, limit: { first: 1, least: 1, most: 1 } }
  /** One call runs and so many wait, all of them since 0. */
  const waiting = (calls: number) => {
    const queue = AdmissionQueue.make(small)
    for (let n = 0; n <= calls; n++) queue.arrive(0, visitor)
    return queue
  }

  it.prop("is full when it stands and holds more than twice what was let in within one delay", {
    entered: between(1, 10),
    more: between(0, 5),
    at: between(small.interval, 10_000),
    later: between(0, 2 * small.delay - 1)
  }, ({ at, entered, later, more }) => {
    for (const isFull of [false, true]) {
      const queue = waiting(entered + 2 * entered + (isFull ? 1 + more : 0))
      for (let n = 0; n < entered; n++) queue.leave(at, at)
      assert.strictEqual(queue.isFull(at + later), isFull)
    }
  })

  it("is full when it stands and nobody has been let in for two delays, and never as a burst", () => {
    assert.isFalse(waiting(50).isFull(small.interval - 1))
    assert.isTrue(waiting(1).isFull(small.interval))
    for (const step of [2 * small.delay - 1, small.delay]) {
      const other = waiting(2)
      other.leave(small.interval, 0)
      assert.isFalse(other.isFull(small.interval + step))
    }
    for (const steps of [[2 * small.delay], [small.delay, 2 * small.delay]]) {
      const other = waiting(2)
      other.leave(small.interval, 0)
      const answers = steps.map((step) => other.isFull(small.interval + step))
      assert.isTrue(answers.at(-1))
    }
  })

  it("takes as many bytes as it may hold, and not one more", () => {
    const queue = waiting(small.bytes - 1)
    let refused = 0
    const next = { ...visitor, refuse: () => refused++ }
    queue.arrive(0, next)
    assert.deepStrictEqual([queue.waiting(), refused], [small.bytes, 0])
    queue.arrive(0, next)
    assert.deepStrictEqual([queue.waiting(), refused], [small.bytes, 1])
  })

  it("as many calls as there may be, each of which ends as soon as it is let in, do not fill the stack", () => {
    const queue = AdmissionQueue.make({ ...small, bytes: 20_000 })
    let entered = 0
    const enter = () => {
      entered++
      queue.leave(0, 0)
    }
    for (let n = small.limit.first; n > 0; n--) queue.arrive(0, visitor)
    for (let n = 20_000; n > 0; n--) queue.arrive(0, { ...visitor, enter })
    queue.leave(0, 0)
    assert.deepStrictEqual([entered, queue.waiting()], [20_000, 0])
  })
})
