import {
  ContentRejected,
  Misconfigured,
  RateLimited,
  RecipientRejected,
  Unavailable,
  Unknown
} from "#schemas/DeliveryError.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import { assert, describe, it } from "@effect/vitest"
import { Exit } from "effect"

const candidate = { _tag: "Candidate", channel: "email", provider: "mail", timeout: undefined } as const
const intent = Outcome.intent(3, candidate, 1_000)
const detail = "so it is"

describe("Outcome: a call as it is stored", () => {
  it("one that was taken has the provider's reference, as long as one may be", () => {
    const common = { ...intent, state: "accepted", endedAt: 2_000 } as const
    const taken = (reference: string | undefined) => Outcome.of(intent, Exit.succeed({ reference }), 2_000)
    assert.deepStrictEqual(taken("r-1"), { ...common, reference: "r-1" })
    assert.deepStrictEqual(taken(undefined), { ...common, reference: null })
    const long = "r".repeat(10_000)
    assert.strictEqual(taken(long).reference, Outcome.referenceOf(long), "a receipt's reference is cut alike")
    assert.isAtMost(taken(long).reference?.length ?? 0, 512)
  })

  it("P4: one that failed was not sent, unless nobody knows; it keeps when to come back", () => {
    const common = { ...intent, state: "rejected", endedAt: 2_000, error: detail } as const
    const failures = [
      [new RateLimited({ detail, retryAfter: 7 }), 7],
      [new RateLimited({ detail }), null],
      [new Unavailable({ detail, retryAfter: 0 }), 0],
      [new Unavailable({ detail }), null],
      [new Misconfigured({ detail }), null],
      [new RecipientRejected({ detail }), null],
      [new ContentRejected({ detail }), null]
    ] as const
    for (const [failure, retryAfter] of failures) {
      const outcome = Outcome.of(intent, Exit.fail(failure), 2_000)
      assert.deepStrictEqual(outcome, { ...common, kind: failure._tag, retryAfter })
    }
    assert.deepStrictEqual(Outcome.of(intent, Exit.fail(new Unknown({ detail })), 2_000), {
      ...common,
      state: "unknown",
      kind: "Unknown"
    })
  })

  it("what a vendor says is stored as far as it fits", () => {
    const { error } = Outcome.of(intent, Exit.fail(new Unknown({ detail: "x".repeat(10_000) })), 2_000)
    assert.strictEqual(error, "x".repeat(2_000))
  })

  it("P4: content that could not be rendered is refused, and was sent to nobody", () => {
    assert.deepStrictEqual(Outcome.unrendered(intent, detail), {
      ...intent,
      state: "rejected",
      kind: "ContentRejected",
      endedAt: intent.startedAt,
      error: detail
    })
  })

  it("P4: of one that ended without an answer nobody knows", () => {
    for (const exit of [Exit.die("bug"), Exit.interrupt(1)]) {
      const { kind, state } = Outcome.of(intent, exit, 2_000)
      assert.deepStrictEqual([state, kind], ["unknown", "Unknown"])
    }
  })
})
