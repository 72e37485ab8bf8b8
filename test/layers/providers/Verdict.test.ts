import { toError, type Verdict } from "#layers/providers/Verdict.ts"
import { assert, describe, it } from "@effect/vitest"

const waitOf = (verdict: Verdict, named?: number): number | undefined => {
  const error = toError(verdict, "refused", named)
  return error._tag === "RateLimited" || error._tag === "Unavailable" ? error.retryAfter : undefined
}

describe("A verdict on a refusal", () => {
  it("has the provider left alone for as long as it names, and never for less than its row says", () => {
    for (const kind of ["RateLimited", "Unavailable"] as const) {
      assert.isUndefined(waitOf({ kind }))
      assert.strictEqual(waitOf({ kind }, 5_000), 5_000)
      assert.strictEqual(waitOf({ kind, wait: 600_000 }), 600_000)
      assert.strictEqual(waitOf({ kind, wait: 600_000 }, 5_000), 600_000)
      assert.strictEqual(waitOf({ kind, wait: 600_000 }, 900_000), 900_000)
    }
  })
})
