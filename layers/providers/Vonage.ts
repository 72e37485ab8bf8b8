import * as ChatText from "#layers/providers/ChatText.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import * as Phone from "#layers/providers/Phone.ts"
import { baseOf, baseUrl, line, secret } from "#layers/providers/SettingFields.ts"
import { define, noFault, reading, stateless } from "#layers/providers/VendorDefinition.ts"
import type { VendorTable } from "#layers/providers/VendorTable.ts"
import { segmentsOf } from "#src/content/Segments.ts"
import { Effect, Redacted, Schema } from "effect"

const Settings = Schema.Struct({ api_key: line, api_secret: secret, from: line, ...baseUrl })

/** Vonage refuses with HTTP 200 and a status in the body. */
const table: VendorTable = [
  // 1: too many a second; 10: too many open connections.
  { code: ["1", "10"], kind: "RateLimited" },
  { code: "5", kind: "Unavailable" },
  // 7: the number is barred; 33: it is no longer in service.
  { code: "7", kind: "RecipientRejected" },
  { code: "33", kind: "RecipientRejected", invalidates: true },
  // The sender is a setting, and another vendor's is another one.
  { code: ["2", "3"], says: /\bfrom\b/i, kind: "Misconfigured" },
  // 6: also a number with an unrecognized prefix.
  { code: ["3", "6"], says: /\bto\b|number|unroutable/i, kind: "RecipientRejected" },
  { code: ["2", "3", "6", "12"], kind: "ContentRejected" },
  { status: 413, kind: "ContentRejected" }
]

const read = reading(Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    "status": Schema.String,
    "message-id": Schema.optional(Schema.String),
    "error-text": Schema.optional(Schema.String)
  }))
}))

/**
 * The encoding by which its segments are counted: GSM-7 if GSM 03.38 has all of its characters, else Unicode, since
 * Vonage replaces what its alphabet lacks by `?`.
 */
const type = (text: string): string => segmentsOf(text)?.encoding === "GSM-7" ? "text" : "unicode"

/** SMS API: POST /sms/json (developer.vonage.com/en/api/sms, /en/messaging/sms/guides/troubleshooting-sms). */
export const definition = define({
  key: "vonage",
  name: "Vonage",
  description: "Text messages over Vonage's SMS API",
  channel: "sms",
  says: ["text", "body"],
  settings: Settings,
  addressees: ["to"],
  recipients: Phone.recipients,
  writer: stateless(Effect.fnUntraced(function*({ delivery, settings, to }) {
    const number = yield* Effect.fromResult(Phone.ofRecipient(to))
    const body = Overrides.body({
      api_key: settings.api_key,
      api_secret: Redacted.value(settings.api_secret),
      from: settings.from,
      to: number.slice(1),
      text: ChatText.sms(delivery.rendered),
      // Is returned in every receipt, cut at 100 characters.
      "client-ref": delivery.messageId
    }, delivery.override)
    return {
      method: "POST" as const,
      url: `${baseOf(settings, "https://rest.nexmo.com")}/sms/json`,
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JsonBody.write({ type: type(`${body["text"]}`), ...body })
    }
  })),
  // A message may go in several parts; if the first was sent, the recipient has something.
  accepted: (answer) => {
    const first = read(answer)?.messages[0]
    return first?.status === "0" ? { reference: first["message-id"] } : undefined
  },
  fault: (answer) => {
    const first = read(answer)?.messages[0]
    if (first === undefined || first.status === "0") return noFault
    return { codes: [first.status], message: first["error-text"] ?? "" }
  },
  table
})
