import { faultCode } from "#layers/outbound/FaultCode.ts"
import { assert, describe, it } from "@effect/vitest"

const quoting = "connect to bob@rcpt.test failed"

describe("The code of a fault", () => {
  it("P9: is the runtime's code or the error's name, never a text that may quote somebody", () => {
    assert.strictEqual(faultCode(Object.assign(new Error(quoting), { code: "ECONNRESET" })), "ECONNRESET")
    assert.strictEqual(faultCode(new TypeError(quoting)), "TypeError")
    assert.strictEqual(faultCode(Object.assign(new RangeError(quoting), { code: 5 })), "RangeError")
    assert.strictEqual(faultCode(quoting), "Error")
  })
})
