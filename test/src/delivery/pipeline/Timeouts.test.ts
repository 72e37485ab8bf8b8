import * as Timeouts from "#src/delivery/pipeline/Timeouts.ts"
import { assert, describe, it } from "@effect/vitest"

describe("Timeouts", () => {
  it("the first that is set is given; 0, null and nothing are not set", () => {
    assert.strictEqual(Timeouts.given(undefined, null, 0, 5, 7), 5)
    assert.isUndefined(Timeouts.given(undefined, null, 0))
  })

  it("a time that no column of whole ms can hold is rounded up, or cut to what a message can wait for", () => {
    const tenYears = 10 * 366 * 86_400_000
    for (const [timeout, given] of [[5_000.5, 5_001], [0.000_1, 1], [tenYears, tenYears], [1e300, tenYears]] as const) {
      assert.strictEqual(Timeouts.given(timeout), given)
    }
  })
})
