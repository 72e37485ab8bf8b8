import * as Delays from "#src/flows/Delays.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const noon = Date.UTC(2026, 10, 21, 12)

describe("Delays (api.md 26.6)", () => {
  it.effect.prop("rounds a duration up to whole minutes", {
    duration: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e9 }))
  }, ({ duration }) =>
    Effect.sync(() => {
      const start = Delays.startOf({ duration }, noon) ?? 0
      assert.isAtLeast(start - noon, duration)
      assert.isBelow(start - noon - duration, 60_000)
      assert.strictEqual((start - noon) % 60_000, 0)
    }))

  it("starts at the date of `until`: with its own offset, else in the time zone, else in UTC", () => {
    assert.strictEqual(Delays.startOf({ until: "2026-11-21T14:00:00+01:00" }, noon), noon + 3_600_000)
    assert.strictEqual(Delays.startOf({ until: "2026-11-21T13:00:00Z" }, noon), noon + 3_600_000)
    assert.strictEqual(Delays.startOf({ until: "2026-11-21T13:00:00" }, noon), noon + 3_600_000)
    assert.strictEqual(
      Delays.startOf({ until: "2026-11-21T14:00:00", timezone: "Europe/Berlin" }, noon),
      noon + 3_600_000
    )
  })

  it("starts at once without a delay, or after a date that has passed", () => {
    assert.isUndefined(Delays.startOf(undefined, noon))
    assert.isUndefined(Delays.startOf({ duration: 0 }, noon))
    assert.isUndefined(Delays.startOf({ until: "2026-11-21T11:59:59Z" }, noon))
  })

  it("knows a date from what it does not understand", () => {
    assert.isFalse(Delays.isUnderstood({ until: "until" }))
    assert.isTrue(Delays.isUnderstood({ until: "2026-11-21" }))
    assert.isTrue(Delays.isUnderstood({ duration: 5 }))
  })
})
