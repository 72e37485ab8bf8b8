import { body, failure } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const data = { none: null, huge: "9".repeat(500) }

const say = (source: string): string => body(source, { data, profile: { timezone: "utc+2" } })

const ten = Date.UTC(2024, 6, 1, 10)

describe("Dates in templates", () => {
  it("are texts of ISO 8601, with a zone or in UTC, and nothing that only looks like one", () => {
    const texts = [
      "2024-07-01T10:00Z",
      "2024-07-01T10:00",
      "2024-07-01 10:00:00",
      "2024-07-01T10:00:00.000000000Z",
      "2024-07-01T12:00:00+0200",
      "2024-07-01T05:00:00-05:00",
      "2024-07-01t10:00:00z"
    ]
    for (const text of texts) {
      assert.strictEqual(say(`{{swu_iso8601_to_time "${text}"}}`), `${ten}`, text)
      assert.strictEqual(say(`{{datetime-format "${text}" "%H:%M"}}`), "10:00", text)
    }
    for (
      const text of ["2024-7-1", "2024-0701", "2024-07-01T10", "2024-13-01", "in 2024-07-01", "July 1, 2024", "0Z", ""]
    )
      assert.match(
        failure({ body: `{{datetime-format "${text}" "%H"}}` }),
        /^datetime-format: ".*" is not a date$/,
        text
      )
    assert.match(
      failure({ body: "{{datetime-format \"2023-02-29\" \"%d\"}}" }),
      /^datetime-format: "2023-02-29" is not a date$/,
      "a day that there is not"
    )
    assert.match(failure({ body: `{{swu_iso8601_to_time ${ten}}}` }), /^swu_iso8601_to_time: "\d+" is not a date$/)
    assert.match(
      failure({ body: "{{datetime-format huge \"%H\"}}" }, { data }),
      /^datetime-format: "9{80}" is not a date$/
    )
  })

  it("have no zone where the clock of their machine is asked", () => {
    const before = process.env["TZ"]
    process.env["TZ"] = "America/New_York"
    const said = say("{{datetime-format \"2024-07-01T10:00\" \"%H\"}} {{datetime-format \"2024-07-01\" \"%d %H\"}}")
    if (before === undefined) delete process.env["TZ"]
    else process.env["TZ"] = before
    assert.strictEqual(said, "10 01 00")
  })

  it("are said in a zone by its name or offset, which is UTC where none is given", () => {
    const zones: ReadonlyArray<readonly [string, string]> = [
      ["", "10 +0000 UTC"],
      [" \"\"", "10 +0000 UTC"],
      [" none", "10 +0000 UTC"],
      [" missing", "10 +0000 UTC"],
      [" \"UTC\"", "10 +0000 UTC"],
      [" \"Asia/Kolkata\"", "15 +0530 Asia/Kolkata"],
      [" \"Etc/GMT+5\"", "05 -0500 Etc/GMT+5"],
      [" \"America/Argentina/Buenos_Aires\"", "07 -0300 America/Argentina/Buenos_Aires"],
      [" \"+05:30\"", "15 +0530 +05:30"],
      [" \"UTC+2\"", "12 +0200 UTC+2"],
      [" \"UTC-5\"", "05 -0500 UTC-5"],
      [" \"UTC+05:30\"", "15 +0530 UTC+05:30"],
      [" \"GMT+2\"", "12 +0200 GMT+2"],
      [" \" UTC+2 \"", "12 +0200 UTC+2"],
      [" profile.timezone", "12 +0200 utc+2"]
    ]
    for (const [zone, said] of zones)
      assert.strictEqual(say(`{{datetime-format ${ten} "%H %z %Z"${zone}}}`), said, zone)
    for (const zone of ["Mars", "local", "UTC+15", "UTC+1:60", "UTC2", "../UTC"])
      assert.strictEqual(
        failure({ body: `{{datetime-format ${ten} "%H" "${zone}"}}` }),
        `datetime-format: "${zone}" is not a time zone`
      )
  })

  it("at the ends of the calendar are dates in all zones, or in none", () => {
    const last = 8_640_000_000_000_000
    for (const time of [last, -last, last - 1_000]) {
      for (const zone of ["UTC", "Pacific/Kiritimati", "America/New_York"])
        assert.match(failure({ body: `{{datetime-format ${time} "%Y" "${zone}"}}` }), /is not a date$/, zone)
    }
    for (const time of [last, -last].map((at) => at - Math.sign(at) * 86_400_000 * 2)) {
      for (const zone of ["UTC", "Pacific/Kiritimati", "America/New_York"])
        assert.match(say(`{{datetime-format ${time} "%Y" "${zone}"}}`), /^(?:275760|-271821)$/, zone)
    }
  })

  it("drop a leading zero where their format says so, and keep what is no code", () => {
    const early = Date.UTC(2005, 0, 2, 3, 4, 5)
    const bare = say(`{{datetime-format ${early} "%-m %-d %-H %-M %-S %-I %-y %-j"}}`)
    assert.strictEqual(bare, "1 2 3 4 5 3 5 2")
    assert.strictEqual(
      say(`{{datetime-format ${early} "%m %d %H %M %S %I %y %j|%q %% %"}}`),
      "01 02 03 04 05 3 05 002|%q % %"
    )
    const noon = [0, 11, 12, 23].map((hour) =>
      say(`{{datetime-format ${early - 3 * 3_600_000 + hour * 3_600_000} "%I%p%P"}}`)
    )
    assert.deepStrictEqual(noon, ["12amAM", "11amAM", "12pmPM", "11pmPM"])
  })

  it("have a format of at most 256 characters", () => {
    assert.lengthOf(say(`{{datetime-format 0 "${"x".repeat(256)}"}}`), 256)
    assert.strictEqual(
      failure({ body: `{{datetime-format 0 "${"x".repeat(257)}"}}` }),
      "datetime-format: the format is too long"
    )
  })
})
