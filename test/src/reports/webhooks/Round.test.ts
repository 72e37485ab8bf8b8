import { Scope } from "#schemas/Scope.ts"
import { type Claimed, probing, type WebhookEvent } from "#src/reports/webhooks/Outbox.ts"
import * as Round from "#src/reports/webhooks/Round.ts"
import { assert, describe, it } from "@effect/vitest"

const now = 1_800_000_000_000
const hour = 3_600_000

const event = (id: string, tries = 0): WebhookEvent => ({
  id,
  happened: { type: "notification:published", data: "{}" },
  at: now,
  storedAt: now,
  tries
})

const claimed = (events: ReadonlyArray<WebhookEvent>, more: Partial<Claimed> = {}): Claimed => ({
  scope: Scope.make(1),
  id: "wh_1",
  url: "https://example.com/",
  secrets: [],
  failures: 0,
  failing: undefined,
  pausedUntil: now,
  claim: 1,
  events,
  ...more
})

const told: Round.Outcome = { _tag: "Told" }
const gone: Round.Outcome = { _tag: "Void" }
const failed = (more: Partial<Extract<Round.Outcome, { _tag: "Failed" }>> = {}): Round.Outcome => ({
  _tag: "Failed",
  error: "It answered 500",
  retryAfter: undefined,
  isGone: false,
  ...more
})

const settle = (webhook: Claimed, outcomes: Readonly<Record<string, Round.Outcome>>) =>
  Round.settle(webhook, new Map(Object.entries(outcomes)), now, false)

describe("Round", () => {
  it("what was told, or has nothing left to tell, is done with; what was not tried stays as it is", () => {
    assert.deepStrictEqual(settle(claimed([event("a"), event("b"), event("c")]), { a: told, b: gone }), {
      told: ["a", "b"],
      lost: [],
      again: [],
      reached: true,
      failures: 0,
      failing: undefined,
      pausedUntil: now,
      givesUp: false,
      since: now - 72 * hour
    })
  })

  it("W1: an event that fails is tried again after 5, 10, 20 … seconds, at most 15 minutes, for 24 hours, and is lost then", () => {
    const waits: Array<number> = []
    for (let tries = 0; tries < 1_000; tries++) {
      const { again, lost, told } = settle(claimed([event("a", tries)]), { a: failed() })
      if (lost.length > 0) {
        assert.deepStrictEqual({ again, lost, told }, { again: [], lost: ["a"], told: [] })
        break
      }
      waits.push((again[0]?.dueAt ?? 0) - now)
    }
    assert.deepStrictEqual(waits.slice(0, 9), [5, 10, 20, 40, 80, 160, 320, 640, 900].map((seconds) => seconds * 1_000))
    const total = waits.reduce((sum, wait) => sum + wait, 0)
    assert.closeTo(total / hour, 24, 0.25)
  })

  it("a webhook that fails in rounds in a row pauses like its event, and no longer once it is reached", () => {
    let webhook = claimed([event("a")])
    const pauses: Array<number> = []
    for (let tries = 0; tries < 12; tries++) {
      const round = settle({ ...webhook, events: [event("a", tries)] }, { a: failed() })
      const due = round.again[0]?.dueAt ?? 0
      assert.strictEqual(round.failures, tries + 1)
      assert.deepStrictEqual(round.failing, { since: now, error: "It answered 500" })
      assert.strictEqual(round.pausedUntil, round.failures < probing ? now : due, "a lone event is not held up")
      pauses.push(round.pausedUntil - now)
      webhook = { ...webhook, failures: round.failures, failing: round.failing }
    }
    assert.strictEqual(Math.max(...pauses), 900_000)
    const reached = settle({ ...webhook, events: [event("a"), event("b")] }, { a: failed(), b: told })
    assert.deepInclude(reached, { reached: true, failures: 0, failing: undefined, pausedUntil: now })
  })

  it("one that asks for time gets it, and so does its event", () => {
    const asked = settle(claimed([event("a"), event("b")]), { a: told, b: failed({ retryAfter: 60_000 }) })
    assert.deepInclude(asked, { pausedUntil: now + 60_000, again: [{ id: "b", dueAt: now + 60_000 }] })
    const less = settle(claimed([event("a", 4)]), { a: failed({ retryAfter: 1_000 }) })
    assert.deepStrictEqual(less.again, [{ id: "a", dueAt: now + 80_000 }])
  })

  it("one that says that it is gone is given up at once", () => {
    assert.isTrue(settle(claimed([event("a")]), { a: failed({ isGone: true }) }).givesUp)
  })

  it("one that is not reached for a day drops what is older, and for five days is given up", () => {
    const after = (ms: number) =>
      settle(claimed([event("a")], { failures: 9, failing: { since: now - ms, error: "" } }), { a: failed() })
    assert.deepInclude(after(24 * hour - 1), { since: now - 72 * hour, givesUp: false })
    assert.deepInclude(after(24 * hour), { since: now - 24 * hour, givesUp: false })
    assert.isFalse(after(120 * hour - 1).givesUp)
    assert.isTrue(after(120 * hour).givesUp)
    const reached = settle(claimed([event("a")], { failures: 9, failing: { since: 0, error: "" } }), { a: told })
    assert.deepInclude(reached, { givesUp: false, since: now - 72 * hour })
  })

  it("a round in which nothing was tried changes nothing of how it fares", () => {
    const failing = { since: now - 5, error: "It answered 503" }
    const { again, failures, reached, told, ...rest } = settle(claimed([event("a")], { failures: 2, failing }), {})
    assert.deepStrictEqual({ again, failures, reached, told, failing: rest.failing }, {
      again: [],
      told: [],
      failures: 2,
      reached: false,
      failing
    })
  })

  it("what failed before an hour without a call says nothing any more: one that failed days ago is not given up for that", () => {
    const failing = { since: now - 144 * hour, error: "It answered 500" }
    const after = (ms: number) =>
      settle(claimed([event("a")], { failures: 9, failing, pausedUntil: now - ms }), { a: failed() })
    assert.deepInclude(after(hour), { failures: 10, givesUp: true })
    assert.deepInclude(after(hour + 1), {
      failures: 1,
      givesUp: false,
      failing: { since: now, error: "It answered 500" }
    })
  })

  it("after a round that the store has cut short, the next one waits", () => {
    assert.strictEqual(Round.settle(claimed([event("a")]), new Map(), now, true).pausedUntil, now + 5_000)
  })
})
