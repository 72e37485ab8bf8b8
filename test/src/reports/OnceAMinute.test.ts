import * as OnceAMinute from "#src/reports/OnceAMinute.ts"
import { assert, describe, it } from "@effect/vitest"

const minute = 60_000

describe("What goes on for long", () => {
  it("is told once a minute, each thing by itself", () => {
    const isNews = OnceAMinute.make()
    const told = [0, 1, minute - 1, minute, minute + 1].map((now) => isNews("one", now))
    assert.deepStrictEqual(told, [true, false, false, true, false])
    assert.isTrue(isNews("another", minute + 1))
  })

  it("is told soon where the clock was ahead and is set back, and not once it is as late as it showed", () => {
    const isNews = OnceAMinute.make()
    const ahead = 365 * 24 * 60 * minute
    assert.deepStrictEqual([ahead, 0, 1, minute].map((now) => isNews("one", now)), [true, true, false, true])
  })
})
