import { listed } from "#layers/providers/Catalogue.ts"
import * as Resend from "#layers/providers/Resend.ts"
import { messageId, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import { from, profile } from "#test/layers/providers/rows/Mail.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

const resendFault = (statusCode: number, name: string, message: string): Answer =>
  json(statusCode, { statusCode, name, message })

export const resend: Row = {
  entry: listed(Resend.definition),
  settings: { api_key: "re_123", from },
  profile,
  override: { subject: "Hi\r\nBcc: x@example.com" },
  success: json(200, { id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" }),
  reference: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794",
  request: {
    method: "POST",
    path: "/emails",
    headers: {
      authorization: "Bearer re_123",
      "idempotency-key": `${messageId}:email:resend`,
      "content-type": "application/json"
    },
    body: {
      from: "\"Shop\" <shop@example.org>",
      to: ["ann@example.com"],
      subject: "Hi Bcc: x@example.com",
      text: "It is on its way.",
      html: "<p>It is on its way.</p>",
      tags: [{ name: "tidings_message_id", value: messageId }]
    }
  },
  refusals: [
    {
      name: "422 to",
      answer: resendFault(
        422,
        "validation_error",
        "Invalid `to` field. The email address needs to follow the `email@example.com` format."
      ),
      kind: "RecipientRejected"
    },
    {
      name: "422 content",
      answer: resendFault(422, "missing_required_field", "Missing `html` or `text` field."),
      kind: "ContentRejected"
    },
    {
      name: "403 own address only",
      answer: resendFault(403, "validation_error", "You can only send testing emails to your own email address."),
      kind: "Misconfigured"
    },
    {
      name: "403 unverified domain",
      answer: resendFault(403, "validation_error", "The example.org domain is not verified."),
      kind: "Misconfigured"
    },
    {
      name: "422 from",
      answer: resendFault(422, "invalid_from_address", "Invalid `from` field."),
      kind: "Misconfigured"
    },
    {
      name: "409 concurrent",
      answer: resendFault(409, "concurrent_idempotent_requests", "Same key in progress."),
      kind: "Unknown"
    },
    {
      name: "409 other body",
      answer: resendFault(409, "invalid_idempotent_request", "Same key, other payload."),
      kind: "Unknown"
    },
    {
      name: "429 quota",
      answer: resendFault(429, "daily_quota_exceeded", "You have reached your daily quota."),
      kind: "RateLimited",
      usedUp: true
    },
    {
      name: "429 monthly quota",
      answer: resendFault(429, "monthly_quota_exceeded", "You have reached your monthly quota."),
      kind: "Misconfigured"
    },
    {
      name: "401 revoked key",
      answer: resendFault(401, "validation_error", "API key is invalid"),
      kind: "Misconfigured"
    },
    {
      name: "400 no key",
      answer: resendFault(400, "validation_error", "API key is invalid"),
      kind: "Misconfigured"
    },
    {
      name: "422 from field",
      answer: resendFault(
        422,
        "validation_error",
        "Invalid `from` field. The email address needs to follow the `email@example.com` format."
      ),
      kind: "Misconfigured"
    },
    { name: "429 rate", answer: resendFault(429, "rate_limit_exceeded", "Too many requests."), kind: "RateLimited" },
    {
      name: "500 application",
      answer: resendFault(500, "application_error", "An unexpected error occurred."),
      kind: "Unavailable"
    }
  ]
}
