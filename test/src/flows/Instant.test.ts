import { fromIso } from "#schemas/WrittenTime.ts"
import * as Instant from "#src/flows/Instant.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const padded = (part: number, length: number) => String(part).padStart(length, "0")

describe("dates that callers write", () => {
  it.effect.prop(
    "a day that its month does not have is no date, rather than one of the next month",
    { year: between(1900, 2400), month: between(1, 12), day: between(1, 31) },
    ({ day, month, year }) =>
      Effect.sync(() => {
        const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
        const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`
        for (const text of [date, `${date}T10:00`, `${date}T10:00:00Z`, `${date}T23:00:00-11:00`]) {
          const read = [fromIso(text), Instant.parse(text, Instant.utc)]
          assert.deepStrictEqual(read.map((time) => time !== undefined), [day <= last, day <= last], text)
          assert.strictEqual(read[0], read[1], text)
        }
      })
  )

  it("an offset may have an hour of one digit, as in an example of the compatible service's documentation", () => {
    const at = Date.UTC(2024, 9, 10, 23, 37, 25)
    assert.strictEqual(Instant.parse("2024-10-11T06:37:25+7:00", DateTime.zoneMakeNamedUnsafe("Asia/Tokyo")), at)
    assert.strictEqual(Instant.parse("2024-10-10 16:37:25 -7:00", Instant.utc), at)
    assert.isUndefined(Instant.parse("2024-10-10-7:00", Instant.utc))
    assert.isTrue(Instant.hasOffset("2024-10-11T06:37:25+7:00"))
  })

  it("are ISO 8601 to their end: what `Date` would make of anything else is none", () => {
    const zone = DateTime.zoneMakeNamedUnsafe("Asia/Tokyo")
    const at = Date.UTC(2026, 10, 21, 14)
    for (const offset of ["Z", "z", " z", "+00:00", "-0000", " +0000", " -0:00"]) {
      assert.strictEqual(Instant.parse(` 2026-11-21T14:00${offset} `, zone), at, offset)
      assert.isTrue(Instant.hasOffset(` 2026-11-21T14:00${offset} `), offset)
    }
    for (const text of ["2026-11-21T14:00", "2026-11-21", "Zürich", "Z 2026-11-21", "2026-11-21T14:00+01:00 PM"])
      assert.isFalse(Instant.hasOffset(text), text)
    for (const more of [" 1:00 pm", " 14:00 PST", "T14:00:00.", "T14", "T14:00+1", "T14:00+1:00 or so", " (Saturday)"])
      assert.isUndefined(Instant.parse(`2026-11-21${more}`, zone), more)
    assert.isUndefined(Instant.parse("on 2026-11-21", zone))
  })

  it("also not where a time zone is given for it", () => {
    const zone = DateTime.zoneMakeNamedUnsafe("Europe/Berlin")
    assert.isUndefined(Instant.parse("2027-02-29T10:00", zone))
    assert.strictEqual(Instant.parse("2028-02-29T10:00", zone), Date.UTC(2028, 1, 29, 9))
    assert.isUndefined(fromIso("2027-02-29"))
    assert.strictEqual(fromIso("2028-02-29"), Date.UTC(2028, 1, 29))
  })
})
