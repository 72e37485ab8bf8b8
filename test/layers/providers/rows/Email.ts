import * as AwsSes from "#layers/providers/AwsSes.ts"
import { listed } from "#layers/providers/Catalogue.ts"
import * as Postmark from "#layers/providers/Postmark.ts"
import * as Resend from "#layers/providers/Resend.ts"
import * as SendGrid from "#layers/providers/SendGrid.ts"
import { messageId, type Row } from "#test/contracts/VendorRow.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

const profile = { email: "ann@example.com" }
const from = "Shop <shop@example.org>"

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

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
    headers: { authorization: "Bearer SG.key", "content-type": "application/json" },
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
    { name: "413", answer: sendGridFault(413, "Payload Too Large", null), kind: "ContentRejected" }
  ],
  differs: {
    "empty 2xx": { outcome: "Accepted", why: "an empty body is SendGrid's success" },
    "truncated JSON": { outcome: "Unknown", why: "a body is none of its answers" }
  }
}

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
      kind: "RecipientRejected",
      invalidates: true
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

const sesFault = (status: number, type: string, message: string): Answer =>
  json(status, { message }, { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` })

export const awsSes: Row = {
  entry: listed(AwsSes.definition),
  settings: {
    access_key_id: "AKIAIOSFODNN7EXAMPLE",
    secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "eu-west-1",
    from,
    configuration_set_name: "events"
  },
  profile,
  override: { attachments: [{ filename: "a.pdf", content: "JVBERi0=", contentType: "application/pdf" }] },
  success: json(200, { MessageId: "010001234567-abc-000000" }),
  reference: "010001234567-abc-000000",
  request: {
    method: "POST",
    path: "/v2/email/outbound-emails",
    headers: {
      authorization:
        /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
      "x-amz-date": /^\d{8}T\d{6}Z$/
    },
    body: {
      FromEmailAddress: "\"Shop\" <shop@example.org>",
      Destination: { ToAddresses: ["ann@example.com"] },
      Content: {
        Simple: {
          Subject: { Data: "Your order 42", Charset: "UTF-8" },
          Body: {
            Text: { Data: "It is on its way.", Charset: "UTF-8" },
            Html: { Data: "<p>It is on its way.</p>", Charset: "UTF-8" }
          },
          Attachments: [{
            FileName: "a.pdf",
            RawContent: "JVBERi0=",
            ContentType: "application/pdf",
            ContentDisposition: "ATTACHMENT"
          }]
        }
      },
      // Without it there are no events of the mail.
      ConfigurationSetName: "events",
      EmailTags: [{ Name: "tidings_message_id", Value: messageId }]
    }
  },
  refusals: [
    {
      name: "400 recipient",
      answer: sesFault(400, "BadRequestException", "Local address contains control or whitespace"),
      kind: "RecipientRejected"
    },
    {
      name: "400 suppressed",
      answer: sesFault(400, "MessageRejected", "Address is on the suppression list for your account"),
      kind: "RecipientRejected",
      invalidates: true
    },
    { name: "400 content", answer: sesFault(400, "MessageRejected", "Message body is empty"), kind: "ContentRejected" },
    {
      name: "400 unverified",
      answer: sesFault(
        400,
        "MessageRejected",
        "Email address is not verified. The following identities failed the check: x"
      ),
      kind: "Misconfigured"
    },
    { name: "400 paused", answer: sesFault(400, "SendingPausedException", "Sending paused"), kind: "Misconfigured" },
    {
      name: "400 throttled, told in the body",
      answer: json(400, { __type: "com.amazon.coral.service#ThrottlingException", Message: "Rate exceeded" }),
      kind: "RateLimited"
    },
    { name: "400 quota", answer: sesFault(400, "LimitExceededException", "Daily quota"), kind: "RateLimited" },
    {
      name: "429 sending rate",
      answer: sesFault(429, "TooManyRequestsException", "Maximum sending rate"),
      kind: "RateLimited"
    },
    {
      name: "403 signature",
      answer: sesFault(403, "SignatureDoesNotMatch", "The request signature we calculated does not match"),
      kind: "Misconfigured"
    }
  ]
}
