import { all, say } from "#test/src/content/template/helpers/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Helpers of dates", () => {
  it("dates", () =>
    all([
      ["{{swu_datetimeformat 1554145200000 \"%a, %B %d\"}}", "Mon, April 01"],
      [
        "{{datetime-format \"2019-04-01T12:00:00.000Z\" \"%a, %B %d %I:%M %p\" \"America/Los_Angeles\"}}",
        "Mon, April 01 5:00 am"
      ],
      ["{{datetime-format 1554145200000 \"%a, %B %d %I:%M %p\"}}", "Mon, April 01 7:00 pm"],
      [
        "{{datetime-format \"2024-02-29\" \"%Y-%m-%d %-d %j %H:%M:%S %z %Z %y %b %A %%\"}}",
        "2024-02-29 29 060 00:00:00 +0000 UTC 24 Feb Thursday %"
      ],
      ["{{datetime-format \"2024-07-01T10:00:00+02:00\" \"%H %z\" \"Asia/Kolkata\"}}", "13 +0530"],
      [
        "{{swu_iso8601_to_time \"2019-04-01T12:00:00.000Z\"}} {{swu_timestamp_to_time 1554145200}}",
        "1554120000000 1554145200000"
      ]
    ]))

  it.effect.prop(
    "a date says what the calendar and the clock of its zone say",
    {
      at: Schema.Int.check(Schema.isBetween({ minimum: Date.UTC(1950, 0, 1), maximum: Date.UTC(2405, 0, 1) })),
      zone: Schema.Literals(["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland"]),
      isMidnight: Schema.Boolean
    },
    ({ at, isMidnight, zone }) =>
      Effect.sync(() => {
        const when = isMidnight ? at - at % 43_200_000 : at
        const asked = (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): string =>
          new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options }).formatToParts(when)
            .find((part) => part.type === type)?.value ?? ""
        const said = (pattern: string, time = when): string => say(`{{datetime-format ${time} "${pattern}" "${zone}"}}`)
        const [day, month, year] = [
          asked({ day: "2-digit" }, "day"),
          asked({ month: "2-digit" }, "month"),
          asked({ year: "numeric" }, "year")
        ]
        const [short, name] = [asked({ weekday: "short" }, "weekday"), asked({ month: "short" }, "month")]
        const hour = asked({ hour: "2-digit", hourCycle: "h23" }, "hour")
        const half = asked({ hour: "numeric", hour12: true }, "dayPeriod")
        const [minute = "", second = ""] = new Date(when).toISOString().slice(14, 19).split(":")
        const shift = asked({ timeZoneName: "longOffset" }, "timeZoneName").slice(3).replace(":", "") || "+0000"
        const local = `${(Number(minute) + (zone === "Asia/Kolkata" ? 30 : 0)) % 60}`.padStart(2, "0")
        const clock = `${hour}:${local}:${second}`
        const expected: ReadonlyArray<readonly [string, string]> = [
          [
            "%A %a %B %b",
            `${asked({ weekday: "long" }, "weekday")} ${short} ${asked({ month: "long" }, "month")} ${name}`
          ],
          ["%d %-d %m %-m %y %Y", `${day} ${Number(day)} ${month} ${Number(month)} ${year.slice(2)} ${year}`],
          [
            "%H %-H %I %p %P",
            `${hour} ${Number(hour)} ${asked({ hour: "numeric", hour12: true }, "hour")} ${half.toLowerCase()} ${half}`
          ],
          ["%M %S %f", `${local} ${second} ${String(((when % 1_000) + 1_000) % 1_000).padStart(3, "0")}000`],
          ["%x %X", `${month}/${day}/${year.slice(2)} ${clock}`],
          ["%c", `${short} ${name} ${Number(day)} ${clock} ${year}`],
          ["%z", shift],
          ["%w", String(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(short))]
        ]
        for (const [pattern, value] of expected) assert.strictEqual(said(pattern), value, `${pattern} ${when} ${zone}`)
      })
  )

  it("the days of a year are counted from its first, in leap years too", () => {
    for (const [year, days] of [[2023, 365], [2024, 366], [2100, 365], [2000, 366]] as const) {
      const first = Date.UTC(year, 0, 1)
      const said = Array.from({ length: days }, (_, at) => say(`{{datetime-format ${first + at * 86_400_000} "%j"}}`))
      assert.deepStrictEqual(said, Array.from({ length: days }, (_, at) => String(at + 1).padStart(3, "0")))
    }
  })
})
