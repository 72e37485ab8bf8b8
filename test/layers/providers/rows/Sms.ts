import { listed } from "#layers/providers/Catalogue.ts"
import * as Twilio from "#layers/providers/Twilio.ts"
import * as Vonage from "#layers/providers/Vonage.ts"
import { messageId, type Refusal, type Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import type { Answer } from "#test/support/ScriptedVendor.ts"

const profile = { phone_number: "+1 (415) 555-2671" }

const sid = `AC${"0123456789abcdef".repeat(2)}`

const twilioFault = (status: number, code: number, message: string): Answer =>
  json(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status })

export const twilio: Row = {
  entry: listed(Twilio.definition),
  settings: { account_sid: sid, auth_token: "auth-token", from: "+15005550006" },
  profile,
  override: { body: { ValidityPeriod: 600 } },
  success: json(201, {
    account_sid: sid,
    api_version: "2010-04-01",
    body: "It is on its way.",
    direction: "outbound-api",
    error_code: null,
    error_message: null,
    from: "+15005550006",
    num_segments: "1",
    sid: "SM87105da94bff44b999e4e6eb90d8eb6a",
    status: "queued",
    to: "+14155552671"
  }),
  reference: "SM87105da94bff44b999e4e6eb90d8eb6a",
  request: {
    method: "POST",
    path: `/2010-04-01/Accounts/${sid}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${sid}:auth-token`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      "accept-charset": "utf-8",
      "user-agent": /^twilio-node\//,
      "i-twilio-idempotency-token": `${messageId}:sms:twilio`
    },
    body: { To: "+14155552671", From: "+15005550006", Body: "It is on its way.", ValidityPeriod: "600" }
  },
  refusals: [
    {
      name: "21211 invalid number",
      answer: twilioFault(400, 21211, "Invalid 'To' Phone Number"),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "21614 not a mobile",
      answer: twilioFault(400, 21614, "'To' number is not a valid mobile number"),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "21610 unsubscribed",
      answer: twilioFault(400, 21610, "Attempt to send to unsubscribed recipient"),
      kind: "RecipientRejected"
    },
    {
      name: "21612 no way from this sender",
      answer: twilioFault(400, 21612, "The 'To' phone number is not currently reachable using the 'From' phone number"),
      kind: "Misconfigured"
    },
    {
      name: "63038 messages of a day",
      answer: twilioFault(429, 63038, "Account exceeded the daily messages limit"),
      kind: "RateLimited",
      usedUp: true
    },
    {
      name: "21617 too long",
      answer: twilioFault(400, 21617, "The concatenated message body exceeds 1600"),
      kind: "ContentRejected"
    },
    {
      name: "21658 too long",
      answer: twilioFault(400, 21658, "Parameter exceeded character limit"),
      kind: "ContentRejected"
    },
    {
      name: "21656 an empty variable of a content",
      answer: twilioFault(400, 21656, "The ContentVariables Parameter is invalid"),
      kind: "ContentRejected"
    },
    { name: "21602 no body", answer: twilioFault(400, 21602, "Message body is required."), kind: "ContentRejected" },
    {
      name: "21606 from",
      answer: twilioFault(400, 21606, "The 'From' phone number is not a valid sender"),
      kind: "Misconfigured"
    },
    {
      name: "21408 region",
      answer: twilioFault(400, 21408, "Permission to send an SMS has not been enabled"),
      kind: "Misconfigured"
    },
    { name: "20003 credentials", answer: twilioFault(401, 20003, "Authenticate"), kind: "Misconfigured" },
    {
      name: "21611 queue full",
      answer: twilioFault(429, 21611, "This 'From' number has exceeded the queue"),
      kind: "RateLimited"
    },
    { name: "20429", answer: twilioFault(429, 20429, "Too Many Requests"), kind: "RateLimited" }
  ]
}

const vonageStatus = (
  name: string,
  status: string,
  text: string,
  rest: Pick<Refusal, "kind" | "invalidates">
): Refusal => ({
  name: `status ${status} ${name}`,
  answer: json(200, { "message-count": "1", messages: [{ status, "error-text": text }] }),
  ...rest
})

export const vonage: Row = {
  entry: listed(Vonage.definition),
  settings: { api_key: "abcd1234", api_secret: "abcdef0123456789", from: "AcmeInc" },
  profile,
  success: json(200, {
    "message-count": "1",
    messages: [{
      to: "14155552671",
      "message-id": "aaaaaaaa-bbbb-cccc-dddd-0123456789ab",
      status: "0",
      "remaining-balance": "3.14159265",
      "message-price": "0.03330000",
      network: "12345"
    }]
  }),
  reference: "aaaaaaaa-bbbb-cccc-dddd-0123456789ab",
  request: {
    method: "POST",
    path: "/sms/json",
    headers: { "content-type": "application/json" },
    body: {
      api_key: "abcd1234",
      api_secret: "abcdef0123456789",
      from: "AcmeInc",
      to: "14155552671",
      text: "It is on its way.",
      type: "text",
      "client-ref": messageId
    }
  },
  refusals: [
    vonageStatus("throttled", "1", "Throughput Rate Exceeded", { kind: "RateLimited" }),
    vonageStatus("too many binds", "10", "Too Many Existing Binds", { kind: "RateLimited" }),
    vonageStatus("text", "2", "Missing text", { kind: "ContentRejected" }),
    vonageStatus("to", "3", "Invalid to param", { kind: "RecipientRejected" }),
    vonageStatus("from", "3", "Invalid from param", { kind: "Misconfigured" }),
    vonageStatus("prefix", "6", "Un-recognized number prefix", { kind: "RecipientRejected" }),
    vonageStatus("credentials", "4", "Bad Credentials", { kind: "Misconfigured" }),
    vonageStatus("internal", "5", "Internal Error", { kind: "Unavailable" }),
    vonageStatus("barred", "7", "Number barred", { kind: "RecipientRejected" }),
    vonageStatus("quota", "9", "Partner quota exceeded", { kind: "Misconfigured" }),
    vonageStatus("too long", "12", "Message too long", { kind: "ContentRejected" }),
    vonageStatus("sender", "15", "Invalid sender address", { kind: "Misconfigured" }),
    vonageStatus("de-activated", "33", "Number de-activated", { kind: "RecipientRejected", invalidates: true })
  ]
}
