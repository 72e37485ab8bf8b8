import * as Expiry from "#src/flows/Expiry.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"

const day = 86_400_000
const storedAt = 1_800_000_000_000

const of = (expiry: Schema.JsonObject | null | undefined) => Expiry.of({ expiry }, storedAt)

describe("expiry", () => {
  it("is a duration from when the item was stored, in ms, also in a text, or as ISO 8601 has it", () => {
    assert.strictEqual(of({ expires_in: 5_000 }), storedAt + 5_000)
    assert.strictEqual(of({ expires_in: "5000" }), storedAt + 5_000)
    assert.strictEqual(of({ expires_in: "P1DT4H" }), storedAt + day + 4 * 3_600_000)
  })

  it("may be months and years, which are those of the calendar", () => {
    const january = Date.UTC(2027, 0, 31, 12)
    const ofJanuary = (expires_in: string) => Expiry.of({ expiry: { expires_in } }, january)
    assert.strictEqual(ofJanuary("P1M"), Date.UTC(2027, 1, 28, 12))
    assert.strictEqual(ofJanuary("P1Y2M"), Date.UTC(2028, 2, 31, 12))
    assert.strictEqual(ofJanuary("P1Y2M3DT4H"), Date.UTC(2028, 3, 3, 16))
    assert.strictEqual(ofJanuary("PT1M"), january + 60_000)
  })

  it("is a time, which wins: epoch milliseconds or seconds, also in a text, or an ISO 8601 date", () => {
    const at = Date.UTC(2027, 2, 1)
    for (const expires_at of [at, at / 1_000, `${at}`, `${at / 1_000}`, "2027-03-01", "2027-03-01T01:00:00+01:00"]) {
      assert.strictEqual(of({ expires_in: 5_000, expires_at }), at)
    }
  })

  it("is a whole number of milliseconds", () => {
    assert.deepStrictEqual([0.4, 1.5].map((expires_in) => of({ expires_in })), [storedAt, storedAt + 2])
  })

  it("is over from its end on, and never where there is none", () => {
    const isOver = (expiry: Schema.JsonObject | null | undefined) => Expiry.isOver({ expiry }, storedAt)
    assert.isTrue(isOver({ expires_in: 5_000, expires_at: storedAt }))
    assert.isTrue(isOver({ expires_at: "2020-01-01T00:00:00Z" }))
    for (const expiry of [undefined, null, {}, { expires_in: 1 }, { expires_at: storedAt + 1 }]) {
      assert.isFalse(isOver(expiry))
    }
  })

  it("is none where it means nothing, as in the published client's own examples", () => {
    const meaningless = [
      undefined,
      null,
      {},
      { expires_in: "string", expires_at: "expires_at" },
      { expires_in: 0 },
      { expires_in: -1 },
      { expires_in: "0" },
      { expires_in: "-5000" },
      { expires_in: "+5000" },
      { expires_in: "0.5" },
      { expires_in: "P" },
      { expires_in: "P1Y1" },
      { expires_in: "P999999999999Y" },
      { expires_in: true, expires_at: [] },
      { expires_at: 1e300 },
      { expires_at: "20270301" },
      { expires_at: "-1803859200" },
      { expires_at: "1803859200.5" }
    ]
    for (const expiry of meaningless) assert.strictEqual(of(expiry), undefined)
  })
})
