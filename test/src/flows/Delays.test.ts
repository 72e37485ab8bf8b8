import * as Delays from "#src/flows/Delays.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const noon = Date.UTC(2026, 10, 21, 12)
const hour = 3_600_000

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

  it("starts at the date of `until`: with its own offset, else in the time zone", () => {
    assert.strictEqual(Delays.startOf({ until: "2026-11-21T14:00:00+01:00" }, noon), noon + 3_600_000)
    assert.strictEqual(Delays.startOf({ until: "2026-11-21T13:00:00Z" }, noon), noon + 3_600_000)
    assert.strictEqual(
      Delays.startOf({ until: "2026-11-21T14:00:00", timezone: "Europe/Berlin" }, noon),
      noon + 3_600_000
    )
    assert.strictEqual(Delays.startOf({ until: " 2026-11-21T14:00:00+01:00 ", timezone: "UTC-3" }, noon), noon + hour)
    assert.isUndefined(Delays.startOf({ until: "2026-11-21T14:00:00", timezone: "Mars/Base" }, noon))
  })

  it("a duration and a date are both waited for", () => {
    const until = "2026-11-21T13:00:00Z"
    assert.strictEqual(Delays.startOf({ until, duration: 1 }, noon), noon + hour)
    assert.strictEqual(Delays.startOf({ until, duration: 2 * hour }, noon), noon + 2 * hour)
    assert.strictEqual(Delays.startOf({ duration: 1 }, noon), noon + 60_000)
  })

  it("starts at once without a delay, or after a date that has passed", () => {
    assert.isUndefined(Delays.startOf(undefined, noon))
    assert.isUndefined(Delays.startOf({ duration: 0 }, noon))
    assert.isUndefined(Delays.startOf({ until: "2026-11-21T11:59:59Z" }, noon))
    assert.isUndefined(Delays.startOf({ until: "2026-11-21T12:00:00Z" }, noon))
  })

  it("says what it does not understand, in one sentence", () => {
    assert.strictEqual(Delays.fault({ until: "until" }, noon), "delay.until is neither a date nor opening hours: until")
    assert.strictEqual(
      Delays.fault({ until: "2026-11-21", timezone: "Mars/Base" }, noon),
      "delay.timezone is not a time zone: Mars/Base"
    )
    for (const until of ["2026-11-21", "2026-11-21T13:00:00+02:00", "Mo-Fr 09:00-17:00"])
      assert.isUndefined(Delays.fault({ until, timezone: "UTC-3" }, noon), until)
    assert.isUndefined(Delays.fault({ duration: 5 }, noon))
  })

  it("a text that only JavaScript reads as a date is no date: opening hours written wrongly are not a day of 2001", () => {
    for (const until of ["Mo-Fr 9-17", "Mo-Fr 9", "Sa 10", "9-17", "tomorrow 9", "Dec 24 9", "11/22/2026", "2026"]) {
      assert.strictEqual(Delays.fault({ until }, noon), `delay.until is neither a date nor opening hours: ${until}`)
      assert.isUndefined(Delays.startOf({ until }, noon), until)
    }
    for (
      const until of ["2026-11-21T13:00Z", "2026-11-21 13:00:00.5", " 2026-11-21T13:00:00+0200 ", "2026-11-21t13:00z"]
    )
      assert.isUndefined(Delays.fault({ until }, noon), until)
  })

  it("a date that would never come is told at once, and not waited for", () => {
    for (const until of ["9999-12-31", "2036-12-21T00:00:00Z"]) {
      assert.isUndefined(Delays.startOf({ until }, noon), until)
      assert.isUndefined(Delays.startOf({ until, timezone: "UTC-3" }, noon), until)
      assert.strictEqual(Delays.fault({ until }, noon), `delay.until is more than ten years away: ${until}`)
      assert.deepStrictEqual(Delays.waitOf({ until }, {}, noon), Result.succeed(undefined))
    }
    const until = "2036-11-21T12:00:00Z"
    assert.strictEqual(Delays.startOf({ until }, noon), Date.UTC(2036, 10, 21, 12))
    assert.isUndefined(Delays.fault({ until }, noon))
  })

  it("a delay that means nothing is not waited for: its message says so at once", () => {
    const wrong = { until: "Mo-Fr 09:00-17:00", timezone: "Europe/Nowhere" }
    assert.strictEqual(Delays.fault(wrong, noon), "delay.timezone is not a time zone: Europe/Nowhere")
    assert.deepStrictEqual(Delays.waitOf(wrong, {}, noon), Result.succeed(undefined))
    const wrongs = [wrong, { until: "until" }, { until: "9999-12-31" }, { until: "2026-11-22", timezone: "Mars/Base" }]
    for (const delay of wrongs) {
      assert.isDefined(Delays.fault(delay, noon))
      assert.isUndefined(Delays.startOf({ ...delay, duration: hour }, noon), delay.until)
    }
  })

  it("a date without an offset is in the time zone of the delay, else of the recipient, else UTC", () => {
    const wait = (until: string, profile = {}, timezone?: string) =>
      Result.getOrThrow(Delays.waitOf({ until, ...(timezone === undefined ? {} : { timezone }) }, profile, noon))
    const until = "2026-11-21T14:00:00"
    assert.isUndefined(Delays.startOf({ until }, noon))
    assert.strictEqual(wait(until), noon + 2 * hour)
    assert.strictEqual(wait(until, { zoneinfo: "Europe/Berlin", timezone: "UTC+9" }), noon + hour)
    assert.strictEqual(wait(until, { zoneinfo: "nowhere", timezone: "UTC-2" }), noon + 4 * hour)
    assert.isUndefined(wait(until, { timezone: "UTC+2" }))
    // What needs no recipient waits from its acceptance on.
    assert.isUndefined(wait(until, {}, "UTC"))
    assert.isUndefined(wait(`${until}Z`))
  })

  it("opening hours are waited for in the recipient's own day, and not longer than 90 days", () => {
    const wait = (until: string, profile = {}) => Delays.waitOf({ until }, profile, noon)
    // A Saturday, at noon in UTC.
    assert.deepStrictEqual(wait("Sa 12:00-12:01"), Result.succeed(undefined))
    assert.deepStrictEqual(wait("Sa 09:00-12:00; Mo 09:00-10:00"), Result.succeed(noon + 45 * hour))
    assert.deepStrictEqual(
      wait("Mo-Fr 09:00-17:00", { zoneinfo: "America/New_York" }),
      Result.succeed(noon + 50 * hour)
    )
    assert.deepStrictEqual(
      Delays.waitOf({ until: "Mo 09:00-17:00", timezone: "Europe/Berlin" }, { zoneinfo: "America/New_York" }, noon),
      Result.succeed(noon + 44 * hour),
      "the delay's own time zone comes first"
    )
    assert.deepStrictEqual(wait("Feb 19"), Result.succeed(Date.UTC(2027, 1, 19)))
    assert.deepStrictEqual(wait("Feb 20"), Result.fail("delay.until does not come within 90 days: Feb 20"))
  })
})
