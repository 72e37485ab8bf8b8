import * as Phone from "#layers/providers/Phone.ts"
import { assert, describe, it } from "@effect/vitest"

describe("Phone", () => {
  it("a profile has one number, or none where it is empty or no text", () => {
    assert.deepStrictEqual(Phone.recipients({ phone_number: "+14155552671" }), ["+14155552671"])
    for (const profile of [{}, { phone_number: "" }, { phone_number: 14155552671 }, { phone_number: null }])
      assert.deepStrictEqual(Phone.recipients(profile), [])
  })
})
