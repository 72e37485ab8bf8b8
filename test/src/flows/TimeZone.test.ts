import * as TimeZone from "#src/flows/TimeZone.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"

/** Minutes east of Greenwich, on a day in January; `undefined`: no time zone. */
const east = (name: string): number | undefined =>
  Option.getOrUndefined(
    Option.map(TimeZone.parse(name), (zone) =>
      DateTime.zonedOffset(DateTime.makeZonedUnsafe(0, { timeZone: zone })) / 60_000)
  )

describe("time zones", () => {
  it("are offsets of up to 14 hours, with or without a name before them", () => {
    assert.deepStrictEqual(
      ["UTC+3", "gmt-3", "+5:45", "-0330", " UTC+14 ", "UTC-14:00", "+00"].map(east),
      [180, -180, 345, -210, 840, -840, 0]
    )
    for (const name of ["UTC+15", "UTC+14:01", "+3:60", "UTC+12345", "UTC+3 h", "+3:0", "UTC+", "EST+3"])
      assert.isUndefined(east(name), name)
  })

  it("have the names of the IANA, also those whose sign is the other way around", () => {
    assert.deepStrictEqual(["Asia/Kolkata", "UTC", "Etc/GMT+3", "Etc/GMT-3"].map(east), [330, 0, -180, 180])
    assert.isUndefined(east("Mars/Base"))
  })
})
