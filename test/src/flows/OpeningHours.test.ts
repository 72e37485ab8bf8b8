import * as OpeningHours from "#src/flows/OpeningHours.ts"
import * as TimeZone from "#src/flows/TimeZone.ts"
import { assertQuick } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Schema } from "effect"

const hour = 3_600_000
const day = 24 * hour
const zone = (name: string) => Option.getOrThrow(TimeZone.parse(name))

/** From when on it is open, as UTC text. */
const opens = (text: string, from: string, of = "UTC"): string => {
  const hours = OpeningHours.parse(text)
  if (hours === undefined) return "not understood"
  const at = OpeningHours.next(hours, zone(of), Date.parse(`${from}Z`))
  return at === undefined ? "never" : new Date(at).toISOString().slice(0, 16)
}

const weekdays = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"]
const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

const Rule = Schema.Struct({
  days: Schema.NonEmptyArray(Schema.Literals([0, 1, 2, 3, 4, 5, 6])),
  from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_439 })),
  length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_439 }))
})

describe("OpeningHours (api.md 26.6)", () => {
  it.prop("the next opening is what walking minute by minute finds", {
    rules: Schema.NonEmptyArray(Rule),
    minute: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_160 }))
  }, ({ minute, rules }) => {
    const text = rules.map(({ days, from, length }) =>
      `${days.map((at) => weekdays[at]).join(",")} ${clock(from)}-${clock((from + length) % 1_440)}`
    ).join("; ")
    const hours = OpeningHours.parse(text)
    assert.isDefined(hours, text)
    // 1970-01-04 was a Sunday; a rule holds for the days that it names last.
    const start = 3 * day
    const ruleOf = (at: number) => rules.findLast(({ days }) => days.some((known) => known === (at + 7) % 7))
    const isOpen = (at: number): boolean =>
      [0, 1].some((back) => {
        const on = Math.floor(at / 1_440) - back
        const rule = ruleOf(on % 7)
        const within = at - on * 1_440
        return rule !== undefined && rule.from <= within && within < rule.from + rule.length
      })
    let expected = minute
    while (!isOpen(expected)) expected++
    const next = OpeningHours.next(hours ?? [], zone("UTC"), start + minute * 60_000)
    assert.strictEqual(next, start + expected * 60_000, text)
  })

  it("starts are inclusive, ends are not; a night goes on into the next day", () => {
    assert.strictEqual(opens("Mo-Fr 09:00-17:00", "2026-11-23T09:00"), "2026-11-23T09:00")
    assert.strictEqual(opens("Mo-Fr 09:00-17:00", "2026-11-23T16:59"), "2026-11-23T16:59")
    assert.strictEqual(opens("Mo-Fr 09:00-17:00", "2026-11-23T17:00"), "2026-11-24T09:00")
    assert.strictEqual(opens("Fr 22:00-02:00", "2026-11-28T01:59"), "2026-11-28T01:59")
    assert.strictEqual(opens("Fr 22:00-02:00", "2026-11-28T02:00"), "2026-12-04T22:00")
    assert.strictEqual(opens("09:00-12:00, 13:00-17:00", "2026-11-23T12:30"), "2026-11-23T13:00")
    assert.strictEqual(opens("13:00-17:00, 09:00-12:00", "2026-11-23T08:00"), "2026-11-23T09:00")
    assert.strictEqual(opens("Mo 09:00-09:00", "2026-11-24T08:59"), "2026-11-24T08:59")
    assert.strictEqual(opens("Fr 20:00-48:00", "2026-11-28T23:59"), "2026-11-28T23:59")
    assert.strictEqual(opens("Fr 20:00-48:00", "2026-11-29T00:00"), "2026-12-04T20:00")
    assert.strictEqual(opens("24/7", "2026-11-23T12:30"), "2026-11-23T12:30")
    assert.strictEqual(opens("Mo;", "2026-11-24T12:30"), "2026-11-30T00:00")
  })

  it("times may have am and pm, as in the example of the compatible service's reference", () => {
    assert.strictEqual(opens("Mo-Fr 08:00-18:00pm", "2026-11-23T17:59"), "2026-11-23T17:59")
    assert.strictEqual(opens("Mo-Fr 08:00-18:00pm", "2026-11-23T18:00"), "2026-11-24T08:00")
    assert.strictEqual(opens("Mo-Fr 8:00 AM - 6:00 PM", "2026-11-23T18:00"), "2026-11-24T08:00")
    assert.strictEqual(opens("12:00am-12:30pm", "2026-11-23T12:29"), "2026-11-23T12:29")
    assert.strictEqual(opens("12:00am-12:30pm", "2026-11-23T12:30"), "2026-11-24T00:00")
    assert.strictEqual(opens("10:00pm-2:00am", "2026-11-23T02:00"), "2026-11-23T22:00")
    assert.strictEqual(opens("08:00-18:00am", "2026-11-23T02:00"), "not understood")
  })

  it("months and dates, lists and exceptions; the last rule of a day holds", () => {
    assert.strictEqual(opens("Dec-Jan Mo 10:00-11:00", "2026-11-23T00:00"), "2026-12-07T10:00")
    assert.strictEqual(opens("Dec 24-26 10:00-11:00", "2026-12-20T00:00"), "2026-12-24T10:00")
    assert.strictEqual(opens("Dec 24-26 10:00-11:00", "2026-12-25T12:00"), "2026-12-26T10:00")
    assert.strictEqual(opens("Dec 30-Jan 2 10:00-11:00", "2027-01-01T12:00"), "2027-01-02T10:00")
    assert.strictEqual(opens("Dec 30-Jan 2 10:00-11:00", "2027-01-02T12:00"), "never")
    assert.strictEqual(opens("Dec 24-Jan 10:00-11:00", "2027-01-30T12:00"), "2027-01-31T10:00")
    assert.strictEqual(opens("Mo-Su 09:00-17:00; Nov 24,Nov 25 off", "2026-11-24T10:00"), "2026-11-26T09:00")
    assert.strictEqual(opens("Mo-Fr 09:00-17:00; Sa 10:00-14:00; Su closed", "2026-11-28T15:00"), "2026-11-30T09:00")
    assert.strictEqual(opens("sa-mo 08:00-09:00", "2026-11-24T00:00"), "2026-11-28T08:00")
    assert.strictEqual(opens("\tSA  -  mo\n08:00 -  09:00 ", "2026-11-24T00:00"), "2026-11-28T08:00")
    assert.strictEqual(opens("Sa-Mo 08:00-09:00", "2026-11-29T10:00"), "2026-11-30T08:00")
    // A day that is off is off from its midnight on, whatever the night before says; one that another rule opens is not.
    assert.strictEqual(opens("Mo-Su 22:00-06:00; Dec 24-26 off", "2026-12-23T23:59"), "2026-12-23T23:59")
    assert.strictEqual(opens("Mo-Su 22:00-06:00; Dec 24-26 off", "2026-12-24T00:00"), "2026-12-27T22:00")
    assert.strictEqual(opens("Mo-Fr 22:00-02:00; Sa off", "2026-11-28T01:00"), "2026-11-30T22:00")
    assert.strictEqual(opens("Sa off; Mo-Fr 22:00-02:00", "2026-11-28T01:00"), "2026-11-28T01:00")
    assert.strictEqual(opens("Mar", "2026-11-24T00:00"), "never")
    assert.strictEqual(opens("Feb 21", "2026-11-24T00:00"), "2027-02-21T00:00")
    assert.strictEqual(opens("off", "2026-11-24T00:00"), "never")
    // The hour after a month is no day of it.
    assert.strictEqual(opens("Jan 10:00-11:00", "2026-12-20T00:00"), "2027-01-01T10:00")
    assert.strictEqual(opens("Jan 10:00-11:00", "2027-01-10T12:00"), "2027-01-11T10:00")
    assert.strictEqual(opens("Dec 08:00-09:00", "2026-11-24T00:00"), "2026-12-01T08:00")
  })

  it("is a wall clock's: the day is the zone's, and a change of the clocks moves it", () => {
    assert.strictEqual(opens("Mo 09:00-17:00", "2026-11-22T23:30", "Asia/Tokyo"), "2026-11-23T00:00")
    assert.strictEqual(opens("09:00-17:00", "2026-10-24T12:00", "UTC+2"), "2026-10-24T12:00")
    assert.strictEqual(opens("09:00-10:00", "2026-10-24T12:00", "Europe/Berlin"), "2026-10-25T08:00")
    assert.strictEqual(opens("09:00-10:00", "2026-10-23T12:00", "Europe/Berlin"), "2026-10-24T07:00")
    // Neither 02:30 nor 02:45 comes that night: 01:59 is followed by 03:00.
    assert.strictEqual(opens("02:30-04:00", "2026-03-28T12:00", "Europe/Berlin"), "2026-03-29T01:00")
    assert.strictEqual(opens("22:00-02:30", "2026-03-29T00:59", "Europe/Berlin"), "2026-03-29T00:59")
    assert.strictEqual(opens("22:00-02:30", "2026-03-29T01:00", "Europe/Berlin"), "2026-03-29T20:00")
    assert.strictEqual(opens("02:30-02:45", "2026-03-28T12:00", "Europe/Berlin"), "2026-03-30T00:30")
  })

  it("no day is missed where the clocks skip the hour before midnight, as in Greenland", () => {
    // 2026-03-28 23:00 does not come.
    assert.strictEqual(opens("Sa 10:00-14:00", "2026-03-28T00:30", "America/Nuuk"), "2026-03-28T12:00")
    assert.strictEqual(opens("Sa 10:00-14:00", "2026-03-28T01:30", "America/Nuuk"), "2026-03-28T12:00")
    assert.strictEqual(opens("Mar 28 10:00-14:00", "2026-03-20T01:30", "America/Nuuk"), "2026-03-28T12:00")
    assert.strictEqual(opens("Fr 22:00-23:30", "2026-03-28T01:00", "America/Nuuk"), "2026-03-28T01:00")
  })

  it.prop("in a night in which the clocks skip something, it is open when a wall clock says so", {
    rule: Rule,
    place: Schema.Literals([0, 1, 2, 3]),
    minute: Schema.Int.check(Schema.isBetween({ minimum: -2_880, maximum: 2_880 }))
  }, ({ minute, place, rule: { days, from, length } }) => {
    // An hour after midnight, one before it, and half an hour; when it is skipped.
    const [name, skipped] = [
      ["Europe/Berlin", "2026-03-29T01:00Z"],
      ["America/Nuuk", "2026-03-29T01:00Z"],
      ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
      ["America/Santiago", "2026-09-06T04:00Z"]
    ][place] ?? []
    const text = `${days.map((at) => weekdays[at]).join(",")} ${clock(from)}-${clock((from + length) % 1_440)}`
    const of = zone(name ?? "")
    const isOpen = (at: number): boolean => {
      const { hour, minute, weekDay } = DateTime.toParts(DateTime.makeZonedUnsafe(at, { timeZone: of }))
      const within = hour * 60 + minute
      const holds = (on: number) => days.some((known) => known === (on + 7) % 7)
      return (holds(weekDay) && from <= within && within < from + length) ||
        (holds(weekDay - 1) && within + 1_440 < from + length)
    }
    const now = Date.parse(skipped ?? "") + minute * 60_000
    let expected = now
    while (!isOpen(expected)) expected += 60_000
    assert.strictEqual(OpeningHours.next(OpeningHours.parse(text) ?? [], of, now), expected, `${text} in ${name}`)
  })

  it("a zone is a name or an offset in hours and minutes, up to 14 hours", () => {
    assert.strictEqual(opens("09:00-10:00", "2026-11-24T00:00", "UTC+05:30"), "2026-11-24T03:30")
    assert.strictEqual(opens("09:00-10:00", "2026-11-24T00:00", " Asia/Kolkata "), "2026-11-24T03:30")
    assert.strictEqual(opens("09:00-10:00", "2026-11-24T00:00", "-03:30"), "2026-11-24T12:30")
    assert.strictEqual(opens("09:00-10:00", "2026-11-24T00:00", "UTC+14"), "2026-11-24T19:00")
    for (const name of [" UTC+2 ", "utc+2", "GMT+2", "+02"]) {
      assert.strictEqual(opens("09:00-10:00", "2026-11-24T00:00", name), "2026-11-24T07:00", name)
    }
    for (const name of ["UTC+14:01", "UTC-15", "UTC+99", "UTC+05:60", "+0599"]) {
      assert.isTrue(Option.isNone(TimeZone.parse(name)), name)
    }
  })

  it("what it does not know it does not guess", () => {
    for (
      const text of [
        "",
        ";",
        "until",
        "Mo-",
        "25:00-26:00",
        "Mo 9-17",
        "PH off",
        "2026-11-24",
        "Mo 09:00",
        "Dec 32",
        "Dec 0",
        "Dec 24-32",
        "Dec 32-Jan 5",
        "24:00-25:00",
        "20:00-49:00",
        "09:75-17:00",
        "09:00-16:60",
        "Dec 24-",
        "Dec 2410:00-11:00",
        "Dec -",
        "Mo-Fr 09:00-17:00; PH off",
        "Mo 09:00-17:00 x"
      ]
    )
      assert.strictEqual(opens(text, "2026-11-24T00:00"), "not understood", text)
    assert.isUndefined(OpeningHours.parse("Mo 09:00-17:00; ".repeat(70)))
    const long = `${"Mo 09:00-17:00; ".repeat(60)}${"a-".repeat(400)}`
    assert.isUndefined(OpeningHours.parse(long))
  })

  it("says so soon of whatever length", () => {
    for (
      const part of [
        "Jan- ,",
        "Jan 1 - ,",
        "Jan 1 - Feb 2 , ",
        "Mo - Tu , ",
        "9:00 am - 1:00 pm , ",
        "Jan - Feb ,",
        "Jan 1 - 2 , "
      ]
    ) {
      const text = `${part.repeat(1_000 / part.length - 1)}x`
      assert.isUndefined(OpeningHours.parse(text), part)
      assertQuick(() => OpeningHours.parse(text), part)
    }
  })
})
