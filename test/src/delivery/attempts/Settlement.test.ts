import type { Attempt } from "#schemas/Attempt.ts"
import type { Status } from "#schemas/Status.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Position } from "#src/delivery/attempts/position/Situation.ts"
import * as Settlement from "#src/delivery/attempts/Settlement.ts"
import * as RetryPolicy from "#src/delivery/RetryPolicy.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const now = 1_000_000
const failed: Position = { _tag: "Failed", last: undefined }
const succeeded: Position = { _tag: "Succeeded" }
const next = (at: number): Position => ({
  _tag: "Next",
  candidate: { _tag: "Candidate", channel: "email", provider: "one", timeout: undefined },
  at,
  possibleDuplicate: false
})

/** What the outcome of a call means for a message that was routed, told by what is different of it. */
const settle = Effect.fnUntraced(function*(
  after: Position,
  attempt: Partial<Attempt>,
  message: Partial<OpenMessage> = {},
  more: Partial<Parameters<typeof Settlement.settle>[0]> = {}
) {
  const place = yield* Fixture.world
  return Settlement.settle({
    epoch: 3,
    message: Fixture.message(place, { status: "ROUTED", ...message }),
    routed: true,
    handedOver: false,
    attempt: Fixture.attempt(4, "rejected", { channel: "email", provider: "one", ...attempt }),
    after,
    now,
    lines: [],
    inbox: undefined,
    conditional: false,
    orphaned: false,
    ...more
  })
})

const where = { channel: "email", provider: "one", attempt: 4, ts: now }
const taken = { state: "accepted", kind: null, reference: "r-1", error: null } as const
const down = { state: "rejected", kind: "Unavailable", reference: null, error: "down" } as const

describe("Settlement: what the outcome of a call means for its message", () => {
  it.effect("what is taken is sent, and over", () =>
    Effect.gen(function*() {
      const step = yield* settle(succeeded, taken)
      assert.deepInclude(step, { at: now, epoch: 3, lifecycle: ["Send"], dueAt: null })
      assert.isUndefined(step.reason)
      assert.isUndefined(step.error)
      assert.deepStrictEqual(step.events, [{ type: "SENT", ...where, reference: "r-1" }])
      const nameless = yield* settle(succeeded, { ...taken, reference: null })
      assert.deepStrictEqual(nameless.events, [{ type: "SENT", ...where }])
    }))

  it.effect("what is taken and goes on later is sent, and its line tells when", () =>
    Effect.gen(function*() {
      const step = yield* settle(next(now + 60_000), taken)
      assert.deepInclude(step, { lifecycle: ["Send"], dueAt: now + 60_000 })
      assert.deepStrictEqual(step.events, [{ type: "SENT", ...where, reference: "r-1", dueAt: now + 60_000 }])
    }))

  it.effect("P3: a wait of up to a second is spent in hand, a longer one is a row", () =>
    Effect.gen(function*() {
      const short = yield* settle(next(now + RetryPolicy.shortWait), down)
      assert.isUndefined(short.dueAt)
      const line = { type: "RETRYING", ...where, outcome: "Unavailable", error: "down" } as const
      assert.deepStrictEqual(short.events, [line])
      const long = yield* settle(next(now + RetryPolicy.shortWait + 1), down)
      assert.strictEqual(long.dueAt, now + RetryPolicy.shortWait + 1)
      assert.deepStrictEqual(long.events, [{ ...line, dueAt: now + RetryPolicy.shortWait + 1 }])
      assert.deepStrictEqual([long.lifecycle, long.reason, long.error], [[], undefined, undefined])
    }))

  it.effect("what has failed says why, in the message and in its line, after the lines that go before", () =>
    Effect.gen(function*() {
      const earlier = { type: "ROUTED", ts: now } as const
      const step = yield* settle(failed, down, {}, { lines: [earlier], conditional: true })
      assert.deepInclude(step, {
        lifecycle: ["Undeliver"],
        reason: "FAILED",
        error: "down",
        dueAt: null,
        conditional: true
      })
      assert.deepStrictEqual(step.events, [
        earlier,
        { type: "UNDELIVERABLE", ...where, outcome: "Unavailable", reason: "FAILED", error: "down" }
      ])
      const silent = yield* settle(failed, { state: "unknown", kind: null, error: null })
      assert.deepStrictEqual(silent.events, [
        { type: "UNDELIVERABLE", ...where, outcome: "unknown", reason: "FAILED" }
      ])
    }))

  it.effect("a reason is of what the provider said", () =>
    Effect.gen(function*() {
      const reasons = yield* Effect.forEach(
        ["RecipientRejected", "Misconfigured", "Unknown", "ContentRejected"] as const,
        (kind) => Effect.map(settle(failed, { ...down, kind }), ({ reason }) => reason)
      )
      assert.deepStrictEqual(reasons, ["BOUNCED", "PROVIDER_ERROR", "PROVIDER_OUTCOME_UNKNOWN", "FAILED"])
    }))

  it.effect("an outcome also writes the steps towards its provider that nobody wrote", () =>
    Effect.gen(function*() {
      const unwritten = { routed: false }
      const lifecycle = (after: Position, attempt: Partial<Attempt>, status: "DELAYED" | "ENQUEUED" | "ROUTED") =>
        Effect.map(settle(after, attempt, { status }, unwritten), (step) => step.lifecycle)
      assert.deepStrictEqual(yield* lifecycle(succeeded, taken, "ENQUEUED"), ["Route", "Send"])
      assert.deepStrictEqual(yield* lifecycle(succeeded, taken, "DELAYED"), ["Due", "Route", "Send"])
      assert.deepStrictEqual(yield* lifecycle(succeeded, taken, "ROUTED"), ["Send"])
      assert.deepStrictEqual(yield* lifecycle(failed, down, "ENQUEUED"), ["Route", "Undeliver"])
      assert.deepStrictEqual(yield* lifecycle(next(now), down, "ENQUEUED"), ["Route"])
      assert.deepStrictEqual((yield* settle(succeeded, taken, { status: "ENQUEUED" })).lifecycle, ["Send"])
    }))

  it.effect("what was handed over before is not sent anew, and ends only by the bounce of that", () =>
    Effect.gen(function*() {
      const before = { handedOver: true }
      assert.deepStrictEqual((yield* settle(succeeded, taken, { status: "SENT" }, before)).lifecycle, [])
      assert.deepStrictEqual((yield* settle(succeeded, taken, {}, before)).lifecycle, [])
      assert.deepStrictEqual((yield* settle(failed, down, { status: "SENT" }, before)).lifecycle, ["Bounce"])
      assert.deepStrictEqual((yield* settle(failed, down, { status: "OPENED" }, before)).lifecycle, [])
    }))

  it.effect("what a receipt has told of before is not sent anew either, and fails only by the bounce of that", () =>
    Effect.gen(function*() {
      const told = { status: "DELIVERED" } as const
      assert.deepStrictEqual((yield* settle(succeeded, taken, told)).lifecycle, [])
      assert.deepStrictEqual((yield* settle(failed, down, told)).lifecycle, ["Bounce"])
    }))

  it("a refusal ends what is open; of what was handed over it ends only what has all bounced", () => {
    const attempts = {
      accepted: Fixture.attempt(1, "accepted", { kind: null }),
      bounced: Fixture.attempt(2, "accepted", { kind: "RecipientRejected" }),
      rejected: Fixture.attempt(3, "rejected", { kind: "Unavailable" })
    }
    const refusing = (status: Status, ...calls: ReadonlyArray<keyof typeof attempts>) =>
      Settlement.refusing({ status, attempts: calls.map((name) => attempts[name]) }, "Filter")
    assert.deepStrictEqual(refusing("DELAYED"), ["Due", "Filter"])
    assert.deepStrictEqual(refusing("ENQUEUED"), ["Filter"])
    assert.deepStrictEqual(refusing("ROUTED", "rejected"), ["Filter"])
    assert.deepStrictEqual(refusing("SENT", "accepted", "bounced"), [])
    assert.deepStrictEqual(refusing("SENT", "accepted", "rejected"), [])
    assert.deepStrictEqual(refusing("SENT", "bounced", "rejected"), ["Bounce"])
    assert.deepStrictEqual(refusing("OPENED", "bounced"), [])
  })

  it.effect("P8: an outcome clears the count of tries, but that of a call left open takes back this try alone", () =>
    Effect.gen(function*() {
      const tries = (after: Position, recovered: boolean, orphaned: boolean, count = 3) =>
        Effect.map(settle(after, down, { recovered, tries: count }, { orphaned }), (step) => step.tries)
      assert.isUndefined(yield* tries(next(now + 60_000), false, false))
      assert.strictEqual(yield* tries(next(now + 60_000), true, false), 0)
      assert.strictEqual(yield* tries(next(now + 60_000), true, true), 2)
      assert.strictEqual(yield* tries(next(now + 60_000), true, true, 0), 0)
      assert.isUndefined(yield* tries(next(now), true, true))
    }))
})
