import * as RetryAfter from "#src/delivery/attempts/RetryAfter.ts"
import { assert, describe, it } from "@effect/vitest"
import process from "node:process"

const now = Date.UTC(2026, 10, 22, 9, 0, 0)

describe("RetryAfter", () => {
  it("is seconds, with a fraction or without, or a date; all else says nothing", () => {
    const cases: ReadonlyArray<readonly [header: string | undefined, wait: number | undefined]> = [
      ["0", 0],
      [" 120 ", 120_000],
      ["1.5", 1_500],
      ["0.0004", 1],
      ["Sun, 22 Nov 2026 09:02:00 GMT", 120_000],
      ["Sunday, 22-Nov-26 09:02:00 GMT", 120_000],
      ["Sun Nov 22 09:02:00 2026 GMT", 120_000],
      ["2026-11-22T09:02:00Z", 120_000],
      ["Sun, 22 Nov 2026 08:00:00 GMT", 0],
      ["9".repeat(400), 86_400_000],
      ["Tue, 22 Nov 2039 09:02:00 GMT", 86_400_000],
      ["-5", undefined],
      ["5, 7", undefined],
      ["1.5 s", undefined],
      ["120 seconds", undefined],
      ["5.", undefined],
      ["not before 2026-11-22", undefined],
      ["soon", undefined],
      ["", undefined],
      [undefined, undefined]
    ]
    for (const [header, wait] of cases) assert.strictEqual(RetryAfter.parse(header, now), wait, header)
  })

  it("a date whose day is named is of UTC if it names no zone, wherever this server stands (RFC 9110 §5.6.7)", () => {
    const here = process.env["TZ"]
    const early = Date.UTC(2026, 10, 6, 9, 0, 0)
    try {
      for (const there of ["UTC", "America/New_York", "Asia/Kolkata"]) {
        process.env["TZ"] = there
        for (
          const header of [
            "Fri Nov  6 09:02:00 2026",
            "Fri, 06 Nov 2026 09:02:00 GMT",
            "Friday, 06-Nov-26 09:02:00 GMT",
            "Fri, 06 Nov 2026 09:02:00",
            "Fri, 06 Nov 2026 10:02:00 +0100",
            "2026-11-06T14:32:00+05:30"
          ]
        ) assert.strictEqual(RetryAfter.parse(header, early), 120_000, `${header} in ${there}`)
      }
    } finally {
      if (here === undefined) delete process.env["TZ"]
      else process.env["TZ"] = here
    }
  })
})
