import * as AwsSes from "#layers/providers/AwsSes.ts"
import { listed } from "#layers/providers/Catalogue.ts"
import { messageId, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import { from, profile } from "#test/layers/providers/rows/Mail.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

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
            ContentTransferEncoding: "BASE64",
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
    {
      name: "400 quota",
      answer: sesFault(400, "LimitExceededException", "Daily quota"),
      kind: "RateLimited",
      usedUp: true
    },
    {
      name: "400 quota, told as throttling",
      answer: sesFault(400, "ThrottlingException", "Daily message quota exceeded."),
      kind: "RateLimited",
      usedUp: true
    },
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
