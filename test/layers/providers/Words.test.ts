import type { DeliveryError } from "#schemas/DeliveryError.ts"
import { send } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { postmark } from "#test/layers/providers/rows/Postmark.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const failure = (result: Result.Result<unknown, DeliveryError>): readonly [string, string] =>
  Result.isFailure(result) ? [result.failure._tag, result.failure.detail] : ["Accepted", ""]

describe("a vendor's words", () => {
  it.live("P9: do not repeat the address", () =>
    Effect.gen(function*() {
      const answer = {
        status: 422,
        body: JSON.stringify({ ErrorCode: 406, Message: `Inactive: ann@example.com.\r\n${"x".repeat(999)}` })
      }
      const { result } = yield* send(postmark, answer)
      const [tag, detail] = failure(result)
      assert.strictEqual(tag, "RecipientRejected")
      assert.match(detail, /^Postmark answered 422 \(406\): Inactive: <address>\. x+$/)
      assert.isBelow(detail.length, 400)
    }))

  it.live("tell what Slack finds wrong, and which right it misses", () =>
    Effect.forEach(
      [
        [{ error: "missing_scope", needed: "chat:write", provided: "none" }, " (missing_scope): chat:write"],
        [
          { error: "invalid_blocks", response_metadata: { messages: ["[ERROR] one", "[ERROR] two"] } },
          " (invalid_blocks): [ERROR] one [ERROR] two"
        ],
        [{ error: "invalid_blocks", needed: 7, response_metadata: { messages: [{ a: 1 }] } }, " (invalid_blocks)"],
        [{ error: "is_archived", response_metadata: null }, " (is_archived)"]
      ] as const,
      Effect.fnUntraced(function*([body, words]) {
        const { result } = yield* send(Chat.slack, { status: 200, body: JSON.stringify({ ok: false, ...body }) })
        assert.strictEqual(failure(result)[1], `Slack answered 200${words}`)
      })
    ))

  it.live("P9: nor as the vendor got it, nor another address of the mail", () =>
    Effect.forEach(
      [
        [postmark, { email: "Ann@EXAMPLE.com" }, { ErrorCode: 300, Message: "Not <ann@example.com>, b@x.test." }],
        [postmark, { email: "ann@bücher.test" }, {
          ErrorCode: 300,
          Message: "Not <ann@xn--bcher-kva.test>, b@x.test."
        }],
        [Sms.twilio, { phone_number: "+1 (415) 555-2671" }, {
          code: 21211,
          message: "Not <+14155552671>, 14155552671."
        }]
      ] as const,
      Effect.fnUntraced(function*([row, profile, body]) {
        const { result } = yield* send(row, { status: 400, body: JSON.stringify(body) }, { more: { profile } })
        assert.match(failure(result)[1], /: Not <<address>>, <address>\.$/)
      })
    ))
})
