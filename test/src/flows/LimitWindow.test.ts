import * as LimitWindow from "#src/flows/LimitWindow.ts"
import { LimitPeriod } from "#schemas/SendLimit.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const iso = (ms: number): string => new Date(ms).toISOString()

/** Any time of these centuries. */
const Time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))

describe("LimitWindow", () => {
  it.each(
    [
      ["hour", "2026-03-29T01:59:59.999Z", "2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"],
      ["day", "2026-02-28T23:59:59.999Z", "2026-02-28T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
      ["week", "2026-11-28T23:59:59.999Z", "2026-11-22T00:00:00.000Z", "2026-11-29T00:00:00.000Z"],
      ["week", "2026-11-29T00:00:00.000Z", "2026-11-29T00:00:00.000Z", "2026-12-06T00:00:00.000Z"],
      ["month", "2024-02-29T12:00:00.000Z", "2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z"],
      ["month", "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"]
    ] as const
  )("the %s of %s begins at %s and ends before %s", (period, now, from, until) => {
    const window = LimitWindow.at(period, Date.parse(now))
    assert.deepStrictEqual([iso(window.from), iso(window.until)], [from, until])
  })

  it.prop(
    "holds its time, and is the same for all of its times; the next begins where it ends",
    [LimitPeriod, Time],
    ([period, now]) => {
      const window = LimitWindow.at(period, now)
      assert.isTrue(window.from <= now && now < window.until)
      assert.deepStrictEqual(LimitWindow.at(period, window.from), window)
      assert.deepStrictEqual(LimitWindow.at(period, window.until - 1), window)
      assert.strictEqual(LimitWindow.at(period, window.until).from, window.until)
    }
  )
})
