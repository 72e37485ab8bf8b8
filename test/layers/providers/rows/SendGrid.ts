import { listed } from "#layers/providers/Catalogue.ts"
import * as SendGrid from "#layers/providers/SendGrid.ts"
import { messageId, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import { from, profile } from "#test/layers/providers/rows/Mail.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

const sendGridFault = (status: number, message: string, field: string | null): Answer =>
  json(status, { errors: [{ message, field, help: null }] })

export const sendGrid: Row = {
  entry: listed(SendGrid.definition),
  settings: { api_key: "SG.key", from },
  profile,
  override: {
    cc: "bob@example.com",
    reply_to: "help@example.org",
    headers: { "X-Order": "42" },
    attachments: [{ filename: "a.pdf", content: "JVBERi0=", type: "application/pdf" }],
    body: { categories: ["orders"] }
  },
  success: { status: 202, headers: { "x-message-id": "14c5d75ce93.dfd.64b469" } },
  reference: "14c5d75ce93.dfd.64b469",
  request: {
    method: "POST",
    path: "/v3/mail/send",
    headers: { authorization: "Bearer SG.key", accept: "application/json", "content-type": "application/json" },
    body: {
      personalizations: [{ to: [{ email: "ann@example.com" }], cc: [{ email: "bob@example.com" }] }],
      from: { email: "shop@example.org", name: "Shop" },
      reply_to_list: [{ email: "help@example.org" }],
      subject: "Your order 42",
      content: [
        { type: "text/plain", value: "It is on its way." },
        { type: "text/html", value: "<p>It is on its way.</p>" }
      ],
      headers: { "X-Order": "42" },
      attachments: [{
        content: "JVBERi0=",
        filename: "a.pdf",
        type: "application/pdf",
        disposition: "attachment"
      }],
      custom_args: { tidings_message_id: messageId, tidings_to: "71d4f55f" },
      categories: ["orders"]
    }
  },
  refusals: [
    {
      name: "400 recipient",
      answer: sendGridFault(400, "Does not contain a valid address.", "personalizations.0.to.0.email"),
      kind: "RecipientRejected"
    },
    {
      name: "400 content",
      answer: sendGridFault(
        400,
        "The content value must be a string at least one character in length.",
        "content.0.value"
      ),
      kind: "ContentRejected"
    },
    {
      name: "403 sender",
      answer: sendGridFault(403, "The from address does not match a verified Sender Identity.", "from"),
      kind: "Misconfigured"
    },
    {
      name: "400 sender",
      answer: sendGridFault(400, "Does not contain a valid address.", "from.email"),
      kind: "Misconfigured"
    },
    {
      name: "401 credits",
      answer: sendGridFault(401, "Maximum credits exceeded", null),
      kind: "RateLimited",
      usedUp: true
    },
    { name: "413", answer: sendGridFault(413, "Payload Too Large", null), kind: "ContentRejected" }
  ],
  differs: {
    "empty 2xx": { outcome: "Accepted", why: "an empty body is SendGrid's success" },
    "truncated JSON": { outcome: "Unknown", why: "a body is none of its answers" }
  }
}
