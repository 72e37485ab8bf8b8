import * as SigV4 from "#layers/providers/aws/SigV4.ts"
import { assert, describe, it } from "@effect/vitest"

/** The credentials and time of AWS's Signature Version 4 test suite. */
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
  service: "service"
}
const at = "2015-08-30T12:36:00.000Z"
const host = "https://example.amazonaws.com"
const form = { "content-type": "application/x-www-form-urlencoded" }

const vectors = [
  [
    "get-vanilla",
    { method: "GET", url: `${host}/`, headers: {}, body: "" },
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
  ],
  [
    "get-vanilla-query-order-key-case",
    { method: "GET", url: `${host}/?Param2=value2&Param1=value1`, headers: {}, body: "" },
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
  ],
  [
    "post-vanilla",
    { method: "POST", url: `${host}/`, headers: {}, body: "" },
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
  ],
  [
    "post-x-www-form-urlencoded",
    { method: "POST", url: `${host}/`, headers: form, body: "Param1=value1" },
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
  ]
] as const

describe("SigV4", () => {
  for (const [name, request, signature] of vectors) {
    it(`signs as AWS's test suite does: ${name}`, () => {
      const { authorization } = SigV4.signer(credentials)(request, at)
      assert.strictEqual(authorization?.split("Signature=")[1], signature)
    })
  }

  it("a signer keeps its key for a day, and no longer", () => {
    const [, request] = vectors[0]
    const sign = SigV4.signer(credentials)
    const days = ["2015-08-30T12:36:00.000Z", "2015-08-31T12:36:00.000Z", "2015-08-31T13:00:00.000Z"]
    assert.deepStrictEqual(
      days.map((day) => sign(request, day)),
      days.map((day) => SigV4.signer(credentials)(request, day))
    )
  })

  it("a session token is sent and signed", () => {
    const headers = SigV4.signer({ ...credentials, sessionToken: "token" })(vectors[0][1], at)
    assert.strictEqual(headers["x-amz-security-token"], "token")
    assert.include(headers["authorization"], "SignedHeaders=host;x-amz-date;x-amz-security-token,")
  })
})
