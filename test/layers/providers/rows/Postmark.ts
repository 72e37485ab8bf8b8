import { listed } from "#layers/providers/Catalogue.ts"
import * as Postmark from "#layers/providers/Postmark.ts"
import { messageId, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import { from, profile } from "#test/layers/providers/rows/Mail.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

const postmarkFault = (code: number, message: string): Answer => json(422, { ErrorCode: code, Message: message })

export const postmark: Row = {
  entry: listed(Postmark.definition),
  settings: { server_token: "server-token", from },
  profile,
  override: { bcc: [{ email: "log@example.org", name: "Log" }], body: { Tag: "orders" } },
  success: json(200, {
    To: "ann@example.com",
    SubmittedAt: "2014-02-17T07:25:01.4178645-05:00",
    MessageID: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
    ErrorCode: 0,
    Message: "OK"
  }),
  reference: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
  request: {
    method: "POST",
    path: "/email",
    headers: { "x-postmark-server-token": "server-token", "content-type": "application/json" },
    body: {
      From: "\"Shop\" <shop@example.org>",
      To: "ann@example.com",
      Bcc: "\"Log\" <log@example.org>",
      Subject: "Your order 42",
      TextBody: "It is on its way.",
      HtmlBody: "<p>It is on its way.</p>",
      MessageStream: "outbound",
      Metadata: { tidings_message_id: messageId, tidings_to: "71d4f55f" },
      Tag: "orders"
    }
  },
  refusals: [
    {
      name: "406 inactive recipient",
      answer: postmarkFault(
        406,
        "You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ann@example.com."
      ),
      kind: "RecipientRejected"
    },
    { name: "300 to", answer: postmarkFault(300, "Invalid 'To' address: 'ann'."), kind: "RecipientRejected" },
    { name: "300 from", answer: postmarkFault(300, "Invalid 'From' address: 'shop'."), kind: "Misconfigured" },
    {
      name: "300 content",
      answer: postmarkFault(300, "Zero recipients? No: provide either TextBody or HtmlBody."),
      kind: "RecipientRejected"
    },
    { name: "411 attachment type", answer: postmarkFault(411, "Forbidden attachment type"), kind: "ContentRejected" },
    { name: "405 not allowed", answer: postmarkFault(405, "Not allowed to send"), kind: "Misconfigured" },
    { name: "100 maintenance", answer: postmarkFault(100, "Maintenance"), kind: "Unavailable" },
    {
      name: "401 code 10",
      answer: json(401, { ErrorCode: 10, Message: "Bad or missing server token." }),
      kind: "Misconfigured"
    },
    { name: "429 code", answer: json(429, { ErrorCode: 429, Message: "Rate limit exceeded" }), kind: "RateLimited" }
  ]
}
